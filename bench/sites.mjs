// Sites to deploy: files that compress about as well as real ones, and their tarballs.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const KB = 1024
export const MB = 1024 * KB

/** Bytes that are the same in every run and that gzip makes about a third smaller. */
export function bytesOf(seed, size) {
  const parts = []
  for (let length = 0, n = 0; length < size; n++) {
    const noise = createHash('sha512').update(`${seed} ${n}`).digest('base64')
    parts.push(Buffer.from(`<p class="paragraph">${noise}</p>\n`))
    length += parts[n].length
  }
  return Buffer.concat(parts).subarray(0, size)
}

/** A 4 KB page that shows which one it is. */
export const pageOf = mark =>
  Buffer.concat([Buffer.from(`<!doctype html><!--${mark}-->`), bytesOf(mark, 4 * KB)]).subarray(0, 4 * KB)

/** Writes a folder of files and its tarball; the folder always holds an index.html of 4 KB. */
export function makeSite(dir, name, { files, total = files * 4 * KB, mark = name }) {
  const root = join(dir, name)
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'index.html'), pageOf(mark))
  for (let i = 1; i < files; i++) {
    const folder = join(root, `folder-${i % 100}`)
    if (i <= 100) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `page-${i}.html`), bytesOf(`${mark} ${i}`, Math.floor(total / files)))
  }
  return { root, tarball: packSite(root) }
}

export function packSite(root) {
  const tarball = `${root}.tar.gz`
  execFileSync('tar', ['-czf', tarball, '-C', root, '.'])
  return tarball
}
