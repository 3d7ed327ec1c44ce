import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { detectApp } from '../../core/deployments/detection.ts'
import type { PackReader } from '../../ports/packs/pack-reader.ts'
import { chooseAsset } from '../choose.ts'
import { readTarget } from '../targets.ts'

/** The files of real builds, as `node scripts/frameworks.mjs --record` found them. */
const builds = [
  { build: 'procfile', framework: 'procfile', visitors: [] },
  {
    build: 'next',
    framework: 'next',
    visitors: [
      ['.next/static/', '/_next/static/'],
      ['public/', '/'],
    ],
  },
  { build: 'nitro', framework: 'nitro', visitors: [['public/', '/']] },
  { build: 'nitro3', framework: 'nitro', visitors: [['public/', '/']] },
  { build: 'sveltekit', framework: 'sveltekit', visitors: [['client/', '/']] },
  { build: 'astro', framework: 'astro', visitors: [['client/', '/']] },
] as const

function readBuild(name: string): { paths: string[]; files: PackReader } {
  const list = readFileSync(new URL(`../../../fixtures/builds/${name}.txt`, import.meta.url), 'utf8')
  const paths = list.trim().split('\n')
  const contents: Record<string, string> = { Procfile: 'web: node app.mjs\n', 'package.json': '{}' }
  const fileAt = (path: string) => ({ path, offset: 0, size: contents[path]?.length ?? 1, sha256: '' })
  const files = {
    find: (path: string) => (paths.includes(path) ? fileAt(path) : undefined),
    files: () => paths.map(fileAt),
    read: async ({ path }: { path: string }) => Buffer.from(contents[path] ?? ''),
  }
  return { paths, files: files as unknown as PackReader }
}

describe.each(builds)('a real build of $build', ({ build, framework, visitors }) => {
  const { paths, files } = readBuild(build)
  const servedAt = (url: string): string | undefined => {
    const packs = { files, variants: undefined }
    const target = { ...readTarget(url)!, host: 'site.example' }
    const chosen = chooseAsset(target, { number: 0, codings: [], takesIdentity: true }, packs, {
      framework,
      redirects: undefined,
    })
    return chosen.to === 'file' ? chosen.file.path : undefined
  }

  test('is known for what it is', async () => {
    const { app, warnings } = await detectApp(files)
    expect([app?.framework, warnings]).toEqual([framework, []])
  })

  test('has its files for visitors served by the edge, and no other', () => {
    const addresses = new Map<string, string>()
    for (const path of paths)
      for (const [dir, at] of visitors)
        if (path.startsWith(dir)) addresses.set(encodeURI(at + path.slice(dir.length)), path)
    expect(addresses.size > 0).toBe(visitors.length > 0)
    for (const [address, path] of addresses) expect(servedAt(address)).toBe(path)
    for (const path of paths.map(path => encodeURI(`/${path}`)))
      if (!addresses.has(path)) expect(servedAt(path)).toBeUndefined()
  })
})
