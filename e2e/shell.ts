// Someone's terminal: a home and a working directory of its own, in which the real svc runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const svc = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

export class Shell {
  readonly home = mkdtempSync(path.join(tmpdir(), 'svc-shell-'))
  readonly #env: Record<string, string | undefined>

  constructor(env: Record<string, string>) {
    this.#env = { PATH: process.env.PATH, HOME: this.home, BROWSER: 'false', ...env }
  }

  /** Writes files, by their paths below the working directory. */
  write(files: Record<string, string | Buffer>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(this.home, name)), { recursive: true })
      writeFileSync(path.join(this.home, name), content)
    }
  }

  /** Runs svc to its end. */
  svc(...args: string[]): Promise<Result> {
    return this.start(...args).ended
  }

  /** Runs svc and lets a test read along. */
  start(...args: string[]): { child: ChildProcess; ended: Promise<Result> } {
    const child = spawn(process.execPath, [svc, ...args], {
      cwd: this.home,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const result: Result = { code: null, stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', text => (result.stdout += text))
    child.stderr.setEncoding('utf8').on('data', text => (result.stderr += text))
    const ended = new Promise<Result>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code => resolve({ ...result, code }))
    })
    return { child, ended }
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}
