// A key in the session keyring of svcd, and an app that inherits the keyring and looks for the key.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findSandbox } from './process/sandbox.ts'
import { programAt } from './programs.ts'

const calls = { arm64: { add_key: 217, keyctl: 219 }, x64: { add_key: 248, keyctl: 250 } }
const numbers = calls[process.arch as keyof typeof calls]

/** Joins a new session keyring, puts a key into it, and becomes the command that follows. Exits with 9 if it cannot. */
const withKey = `
  syscall(${numbers?.keyctl}, 1, 0) >= 0 or exit 9;
  my ($type, $name, $secret) = ("user", "svcd-secret", "s3cret");
  my $key = syscall(${numbers?.add_key}, $type, $name, $secret, 6, -3);
  $key >= 0 or exit 9;
  $ENV{KEY} = $key;
  exec @ARGV;`

/** The attempts of an app: search its session keyring, read the key by its number, and read the list of all keys. */
const search = `
  my ($type, $name, $room) = ("user", "svcd-secret", "\\0" x 64);
  $! = 0; my $found = syscall(${numbers?.keyctl}, 10, -3, $type, $name, 0); my $searched = $! + 0;
  $! = 0; my $length = syscall(${numbers?.keyctl}, 11, int($ENV{KEY}), $room, 64);
  my $list = open(my $file, "<", "/proc/keys") ? join("", <$file>) : "";
  print $found >= 0 ? "found" : "not found", " ", $length >= 0 ? "read" : "not read", " ", $list =~ /svcd-secret/ ? "listed" : "not listed";`

const runtimeModule = fileURLToPath(new URL('./process/runtime.js', import.meta.url))

/** Starts an app, in a program that has the key. The app answers with what it found. */
const program = `
  const { ProcessRuntime } = await import(${JSON.stringify(runtimeModule)})
  const runtime = await ProcessRuntime.open('node' + Date.now().toString(36).padStart(12, '0'), { outbound: 'off' })
  const app = await runtime.start({
    instanceId: 'ins_' + Date.now().toString(36).padStart(16, '0'), projectId: 'prj_a', project: 'a', deploymentId: 'dep_a',
    filesDir: process.env.FILES, scratchDirs: [], command: ['node', 'app.cjs'], env: { KEY: process.env.KEY }, readyWithinMs: 60_000,
    limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 }, output: () => true,
  })
  const socket = await runtime.connect(app.address)
  const { request } = await import('node:http')
  request({ createConnection: () => socket }, async answer => {
    for await (const part of answer) process.stdout.write(part)
    await runtime.close()
    process.exit()
  }).end()`

const outside = (...command: string[]): string =>
  execFileSync('perl', ['-e', withKey, ...command], {
    encoding: 'utf8',
    env: { ...process.env, FILES: filesDir },
  })

let filesDir = ''

/** False if a container engine refuses the system calls for keys to all programs. */
function hasKeyrings(): boolean {
  try {
    outside('true')
    return true
  } catch {
    return false
  }
}

const needs = { bubblewrap: await findSandbox(), Perl: programAt('perl') && numbers, keyrings: hasKeyrings() }
const missing = Object.entries(needs)
  .flatMap(([name, found]) => (found ? [] : [name]))
  .join(', ')

if (missing !== '') {
  console.warn(`The test of keyrings is skipped: it needs ${missing}`)
  describe.skip(`keys of svcd (it needs ${missing})`, () => test('all of it', () => undefined))
} else
  test('an app neither finds nor reads a key of the session keyring that it inherits', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'svc-keys-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    filesDir = path.join(root, 'files')
    mkdirSync(filesDir)
    const app = `
      const { execFileSync } = require('node:child_process')
      require('node:http').createServer((req, res) => res.end(execFileSync('perl', ['-e', ${JSON.stringify(search)}])))
        .listen(process.env.PORT)`
    writeFileSync(path.join(filesDir, 'app.cjs'), app)
    // Without a sandbox the key is there, so the search would find it.
    expect(outside('perl', '-e', search)).toMatch(/^found read/)
    expect(outside(process.execPath, '--input-type=module', '-e', program)).toBe(
      'not found not read not listed',
    )
  })
