// Runs the real tool as its users do: as a process of its own, in a directory and with an environment of its own.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const binary = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
const pretendTerminal =
  '--import=data:text/javascript,process.stdin.isTTY=process.stdout.isTTY=process.stderr.isTTY=true'

export interface Result {
  code: number | null
  stdout: string
  stderr: string
}

export interface Settings {
  cwd?: string
  env?: Record<string, string>
  /** Stdin, stdout and stderr claim to be terminals. */
  terminal?: boolean
  /** What is typed, to the end of the input; without it stdin is empty. */
  stdin?: string
  /** Stdin stays open after `stdin` was written, as from a command that never ends. */
  stdinStaysOpen?: boolean
  /** Ctrl-C once this holds of what was printed so far. */
  interruptWhen?: (soFar: Result) => boolean
}

export const token = `svc_${'t'.repeat(43)}`

export function svc(args: string[], settings: Settings = {}): Promise<Result> {
  const cwd = settings.cwd ?? temporaryDirectory()
  const child = spawn(process.execPath, [...(settings.terminal ? [pretendTerminal] : []), binary, ...args], {
    cwd,
    // Nothing of the tester's own login or browser may leak in, and no package comes from a registry.
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      BROWSER: 'false',
      npm_config_offline: 'true',
      ...settings.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A command that does not read may be gone before it is written to.
  child.stdin.on('error', () => undefined)
  if (settings.stdinStaysOpen) child.stdin.write(settings.stdin ?? '')
  else child.stdin.end(settings.stdin)
  const result: Result = { code: null, stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', text => {
      result[stream] += text
      if (settings.interruptWhen?.(result)) child.kill('SIGINT')
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve({ ...result, code }))
  })
}

/** A directory that is gone after the test. */
export function temporaryDirectory(files: Record<string, string | Buffer> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFiles(dir, files)
  return dir
}

/** The files of a project and its packages, which are empty: as after an install. */
export function installed(files: Record<string, string>): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(files['package.json'] ?? '{}')
  const packages = Object.keys({ ...dependencies, ...devDependencies })
  return {
    ...Object.fromEntries(packages.map(name => [`node_modules/${name}/package.json`, '{}'])),
    ...files,
  }
}

export function writeFiles(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
}
