// From the first byte of the upload until the site shows it, beside `tar -xzf` + `sync` of the same tarball.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { KB, MB, makeSite, pageOf } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const subjects = [
  { files: 1, total: 4 * KB, rounds: 15 },
  { files: 1_000, total: 10 * MB, rounds: 7 },
  { files: 10_000, total: 100 * MB, rounds: 5, atMost: 0.8 },
]

export async function measure({ dir }) {
  const svc = await startSvc()
  try {
    await svc.api('POST', '/projects', { name: 'deploys' })
    const rows = []
    for (const { files, total, rounds, atMost } of subjects) {
      // Two sites in turn, so that "it shows" is seen in the bytes.
      const sites = ['a', 'b'].map(mark => ({
        mark,
        ...makeSite(dir, `deploy-${files}-${mark}`, { files, total, mark }),
      }))
      let turn = 0
      const time = await interleave(rounds, {
        svc: () => timed(() => deploy(svc, sites[turn++ % 2])),
        tar: () => timed(() => extract(dir, sites[turn % 2].tarball)),
      })
      const what = `deploy ${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}, ${size(total)}`
      rows.push({ what, unit: 'ms', svc: time.svc, other: 'tar -xzf + sync', value: time.tar, atMost })
      for (const { root, tarball } of sites)
        for (const path of [root, tarball]) rmSync(path, { recursive: true })
    }
    return rows
  } finally {
    await svc.stop()
  }
}

async function timed(work) {
  // What others wrote before is not to be paid for here.
  execFileSync('sync')
  const began = performance.now()
  const clean = await work()
  const took = performance.now() - began
  clean?.()
  return took
}

async function deploy(svc, { mark, tarball }) {
  await svc.deploy('deploys', tarball)
  const { body } = await svc.visit('deploys')
  if (!body.equals(pageOf(mark))) throw new Error('an acknowledged deployment was not live')
}

function extract(dir, tarball) {
  const target = join(dir, 'extracted')
  mkdirSync(target)
  execFileSync('tar', ['-xzf', tarball, '-C', target])
  execFileSync('sync', ['-f', target])
  return () => rmSync(target, { recursive: true })
}

const size = bytes => (bytes < MB ? `${bytes / KB} KB` : `${bytes / MB} MB`)
