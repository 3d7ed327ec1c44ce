import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { project, refusal, standIn } from '../../testing/api.ts'
import { svc, temporaryDirectory, token } from '../../testing/svc.ts'

const path = 'POST /projects/blog/rename'

async function run(cwd: string, answers: Parameters<typeof standIn>[0]) {
  const api = await standIn(answers)
  const env = { SVC_API_URL: api.url, SVC_TOKEN: token, NO_COLOR: '1' }
  return { api, result: await svc(['projects', 'rename', 'blog', 'journal'], { env, cwd }) }
}

describe('svc projects rename', () => {
  it('renames the project and changes the svc.json that links it', async () => {
    const cwd = temporaryDirectory()
    const file = join(cwd, 'svc.json')
    writeFileSync(file, '{"project":"blog","other":1}')
    const { api, result } = await run(cwd, { [path]: { body: project('journal') } })
    expect(result.code).toBe(0)
    expect(result.stdout).toContain('Renamed blog to journal.\n')
    expect(result.stderr).toContain('svc.json has the new name')
    expect(JSON.parse(api.calls[0]!.body.toString())).toEqual({ name: 'journal' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ project: 'journal', other: 1 })
  })

  it('leaves svc.json as it is when the name is taken, or another project is linked', async () => {
    const cwd = temporaryDirectory()
    const file = join(cwd, 'svc.json')
    writeFileSync(file, '{"project":"blog"}')
    const taken = await run(cwd, { [path]: refusal('name_taken', 'Taken.', 409) })
    expect(taken.result).toMatchObject({ code: 1, stderr: 'svc: Taken. (name_taken)\n' })
    expect(readFileSync(file, 'utf8')).toBe('{"project":"blog"}')
    writeFileSync(file, '{"project":"shop"}')
    await run(cwd, { [path]: { body: project('journal') } })
    expect(readFileSync(file, 'utf8')).toBe('{"project":"shop"}')
  })
})
