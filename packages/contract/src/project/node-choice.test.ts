import { describe, expect, it } from 'vitest'
import { chooseNode, nodeAskedIn, nodeOfDeployment } from './node-choice.ts'

const filesOf = (texts: Record<string, string>) => ({ read: async (path: string) => texts[path] })
const versions = { standard: '20.20.2', all: ['20.20.2', '22.12.0', '18.20.4', '22.3.0'] }
const asked = (range: string) => ({ range, from: '.nvmrc' })

describe('the Node of a project', () => {
  it('is what .nvmrc asks for, then .node-version, then engines', async () => {
    const manifest = JSON.stringify({ engines: { node: '>=18' } })
    const all = { '.nvmrc': '# ours\n\nv22 # newest\n', '.node-version': '20\n', 'package.json': manifest }
    expect(await nodeAskedIn(filesOf(all), '')).toEqual({ range: 'v22', from: '.nvmrc' })
    const { '.nvmrc': _, ...two } = all
    expect(await nodeAskedIn(filesOf(two), '')).toEqual({ range: '20', from: '.node-version' })
    const one = { 'package.json': manifest }
    expect(await nodeAskedIn(filesOf(one), '')).toEqual({ range: '>=18', from: 'engines in package.json' })
    expect(await nodeAskedIn(filesOf({}), '')).toBeUndefined()
  })

  it('may be written in a folder above, but not above the top', async () => {
    const files = filesOf({ '.nvmrc': '22', 'apps/package.json': '{"engines":{"node":"20"}}' })
    expect(await nodeAskedIn(files, 'apps/web')).toEqual({ range: '22', from: '.nvmrc' })
    expect((await nodeAskedIn(files, 'apps/web', 'apps'))?.range).toBe('20')
    expect(await nodeAskedIn(files, 'apps/web', 'apps/web')).toBeUndefined()
  })

  it('is the newest that fits, and the own one of the platform if nothing is asked for', () => {
    expect(chooseNode(asked('22'), versions)).toEqual({
      version: '22.12.0',
      words: 'Node 22.12.0, asked for by .nvmrc: 22',
    })
    expect(chooseNode(asked('<20'), versions)).toMatchObject({ version: '18.20.4' })
    expect(chooseNode(undefined, versions)).toEqual({
      version: '20.20.2',
      words: "Node 20.20.2, the platform's own",
    })
  })

  it('is a problem, with what there is, if none fits', () => {
    expect(chooseNode(asked('24'), versions)).toEqual({
      problem: expect.stringMatching(
        /^The project asks for Node 24 \(\.nvmrc\)\. This platform has 22\.12\.0, 22\.3\.0, 20\.20\.2, 18\.20\.4\. Change it/,
      ),
    })
    expect(chooseNode(asked('newest!'), versions)).toEqual({
      problem: expect.stringContaining("'newest!' (.nvmrc) is not a version of Node."),
    })
  })

  it('stays the same for a deployment, and is another that fits once it is gone', () => {
    const stored = { asked: '>=20', version: '20.20.2' }
    expect(nodeOfDeployment(stored, versions)).toMatchObject({ version: '20.20.2' })
    expect(nodeOfDeployment(stored, { standard: '24.1.0', all: ['24.1.0'] })).toMatchObject({
      version: '24.1.0',
    })
    expect(nodeOfDeployment(stored, { standard: '18.0.0', all: ['18.0.0'] })).toHaveProperty('problem')
    expect(nodeOfDeployment({ asked: null, version: '16.0.0' }, versions)).toMatchObject({
      version: '20.20.2',
    })
  })
})
