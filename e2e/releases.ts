// Releases for the tests of upgrades: the present one, and others that are made of it by changing a few of its files.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../scripts/release.mjs', import.meta.url))

const program = 'server/bin/svcd.js'

/** The text of a file, changed. */
type Change = (text: string) => string

interface Doctored {
  migration?: string
  /** Runs before everything else. */
  program?: string
  rename?: { from: string; to: string }
}

export class Releases {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'svc-upgrade-'))
  /** The file of the present release. */
  present = ''
  version = ''
  readonly #unpacked = path.join(this.dir, 'unpacked')

  async make(): Promise<void> {
    const dir = path.join(this.dir, 'present')
    await run(process.execPath, [script, dir])
    this.present = path.join(dir, readdirSync(dir).find(name => name.endsWith('.tgz'))!)
    mkdirSync(this.#unpacked)
    await run('tar', ['-xzf', this.present, '-C', this.#unpacked])
    this.version = JSON.parse(readFileSync(path.join(this.#unpacked, 'package/package.json'), 'utf8')).version
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }

  /** A folder of versions with the present one, as `svcd install` makes it. Returns the program that a service starts. */
  install(root: string): string {
    const folder = path.join(root, 'versions', this.version)
    cpSync(path.join(this.#unpacked, 'package'), folder, { recursive: true })
    symlinkSync(path.join('versions', this.version), path.join(root, 'current'))
    return path.join(root, 'current', program)
  }

  /** Unpacks a release. Returns its program. */
  async unpack(file: string): Promise<string> {
    const folder = mkdtempSync(path.join(this.dir, 'release-'))
    await run('tar', ['-xzf', file, '-C', folder])
    return path.join(folder, 'package', program)
  }

  /**
   * Makes another release. Returns the file of its package. `migration` is the body of a function of `db`. `rename` gives
   * a word of the program, such as a kind of jobs, another name.
   */
  async doctored(version: string, { migration, program: code = '', rename }: Doctored) {
    const [dir, staged] = [path.join(this.dir, version), path.join(this.dir, `${version}-staged`)]
    mkdirSync(dir)
    // Links instead of copies. A file that is changed gets a new one.
    mkdirSync(staged)
    await run('cp', ['-al', path.join(this.#unpacked, 'package'), staged])
    const inside = path.join(staged, 'package')
    const change = (file: string, by: Change): void => {
      const text = by(readFileSync(path.join(inside, file), 'utf8'))
      rmSync(path.join(inside, file))
      writeFileSync(path.join(inside, file), text, { mode: 0o755 })
    }
    for (const file of ['package.json', 'server/package.json'])
      change(file, text => JSON.stringify({ ...JSON.parse(text), version }))
    change(program, text => text.replace('\n', `\n${code}\n`))
    const bundle = readdirSync(path.join(inside, 'server/bundle')).filter(name => name.endsWith('.js'))
    if (rename)
      for (const name of bundle)
        change(`server/bundle/${name}`, text => text.replaceAll(`"${rename.from}"`, `"${rename.to}"`))
    if (migration !== undefined) {
      const last = /"\d{3}_\w+":\s*\{\s*up:\s*[^{}]+\}(?=\s*\})/
      const file = bundle.find(name =>
        last.test(readFileSync(path.join(inside, 'server/bundle', name), 'utf8')),
      )
      change(`server/bundle/${file}`, text =>
        text.replace(last, entry => `${entry},"900_doctored":{up:async db=>{${migration}}}`),
      )
    }
    const file = path.join(dir, `svcd-${version}.tgz`)
    await run('tar', ['-I', 'gzip -1', '-cf', file, '-C', staged, 'package'])
    rmSync(staged, { recursive: true })
    const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
    writeFileSync(path.join(dir, 'SHA256SUMS'), `${sum}  ${path.basename(file)}\n`)
    return file
  }
}
