// The tests that every sandbox for builds must pass.

import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../lib/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import type { BuildCommand, BuildSandbox } from './port.ts'

interface SandboxPromises {
  /** Opens a new sandbox, as a builder of the node with this id does. */
  open(nodeId: string): Promise<BuildSandbox>
  /** Whether commands can reach neither the files of the platform, nor other processes, nor private addresses. */
  isolates: boolean
}

const MB = 1024 * 1024

export function describeBuildSandbox(name: string, { open, isolates }: SandboxPromises): void {
  describe(name, () => {
    const root = mkdtempSync(path.join(tmpdir(), 'svc-sandbox-'))
    chmodSync(root, 0o711)
    let sandbox: BuildSandbox
    beforeAll(async () => {
      sandbox = await open(`node${randomText(12)}`)
    })
    afterAll(async () => {
      await sandbox?.close()
      rmSync(root, { recursive: true, force: true })
    })

    /** A build with its own files. `run` runs one command. */
    async function newBuild(by = sandbox) {
      const dir = path.join(root, randomText(8))
      const command = {
        buildId: `bld_${randomText(16)}`,
        projectId: `prj_${randomText(16)}`,
        sourceDir: path.join(dir, 'files'),
        workDir: '',
        homeDir: path.join(dir, 'home'),
        homeFolders: {},
        env: {},
        limits: { memoryBytes: 256 * MB, cpus: 2, pids: 64 },
      }
      mkdirSync(path.join(command.sourceDir, 'sub'), { recursive: true })
      mkdirSync(command.homeDir)
      chmodSync(command.sourceDir, 0o755)
      writeFileSync(path.join(command.sourceDir, 'hello.txt'), 'hello')
      await by.prepare(command.projectId, [command.sourceDir, command.homeDir])
      const written: string[] = []
      async function run(
        line: string,
        extra: Partial<BuildCommand> = {},
        signal = new AbortController().signal,
      ) {
        written.length = 0
        const output = (chunk: Buffer) => written.push(chunk.toString()) > 0
        const exit = await by.run({ ...command, line, output, ...extra }, signal)
        return { ...exit, text: written.join('') }
      }
      return { ...command, run, written: () => written.join('') }
    }

    test('a command runs in its folder, and the output and the exit code are reported', async () => {
      const build = await newBuild()
      const ended = await build.run('cat hello.txt; echo to stderr >&2; exit 3')
      expect(ended).toMatchObject({ code: 3, signal: null, outOfMemory: false })
      for (const written of ['hello', 'to stderr\n']) expect(ended.text).toContain(written)
      expect((await build.run('cat ../hello.txt', { workDir: 'sub' })).text).toBe('hello')
    })

    test("a command has its variables and a home directory, but not the platform's variables", async () => {
      const build = await newBuild()
      const env = { GREETING: 'a "b" $(id)\nc', LD_PRELOAD_X: '1' }
      const { text } = await build.run('node -p "JSON.stringify(process.env)"', {
        env,
        homeFolders: { CACHE: 'cache' },
      })
      const seen = JSON.parse(text)
      expect(seen).toMatchObject(env)
      expect(seen.CACHE).toBe(`${seen.HOME}/cache`)
      expect(Object.keys(seen).filter(key => key.startsWith('SVCD_') || key.startsWith('VITEST'))).toEqual([])
    })

    test('the next command and the platform can read what a command wrote', async () => {
      const build = await newBuild()
      expect((await build.run('echo made > sub/made.txt; echo kept > "$HOME/kept.txt"')).code).toBe(0)
      expect((await build.run('cat sub/made.txt "$HOME/kept.txt"')).text).toBe('made\nkept\n')
      expect(readFileSync(path.join(build.sourceDir, 'sub/made.txt'), 'utf8')).toBe('made\n')
      rmSync(build.sourceDir, { recursive: true })
    })

    test('all processes that a command started end with it', async () => {
      const build = await newBuild()
      const beats = "node -e \"setInterval(() => fs.appendFileSync('beats', 'x'), 5)\""
      await build.run(`${beats} & while [ ! -s beats ]; do sleep 0.02; done`)
      const { size } = statSync(path.join(build.sourceDir, 'beats'))
      await new Promise(resolve => setTimeout(resolve, 60))
      expect(statSync(path.join(build.sourceDir, 'beats')).size).toBe(size)
    })

    test('an aborted command ends with all processes that it started', async () => {
      const build = await newBuild()
      const stop = new AbortController()
      const running = build.run('sleep 600 & echo begun; wait', {}, stop.signal)
      await eventually(async () => build.written().includes('begun'))
      stop.abort()
      expect((await running).code).not.toBe(0)
    })

    test('a command that writes without end can be aborted', async () => {
      const build = await newBuild()
      const stop = new AbortController()
      const running = build.run('while :; do echo flood; done', {}, stop.signal)
      await eventually(async () => build.written().length > 1000)
      stop.abort()
      expect((await running).code).not.toBe(0)
    })

    if (!isolates) return

    test('a command sees neither the files nor the processes of the platform, and cannot write to the system', async () => {
      const build = await newBuild()
      const secret = path.join(root, 'secret')
      writeFileSync(secret, 'platform')
      const { text } = await build.run(
        [
          `cat ${secret}`,
          'cat /etc/shadow',
          `cat /proc/${process.pid}/environ`,
          'echo x > /usr/x',
          'echo x > /etc/x',
          'echo x > /x',
        ]
          .map(line => `{ ${line}; } 2>&1 && echo GOT THROUGH`)
          .join('; '),
      )
      expect(text).not.toContain('GOT THROUGH')
      expect(text).not.toContain('platform\n')
    })

    test('a command reaches neither the services of this machine nor private addresses', async () => {
      const server = createServer((_req, res) => res.end('private')).listen(0, '0.0.0.0')
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const own = Object.values(networkInterfaces())
        .flat()
        .filter(it => it?.family === 'IPv4')
        .map(it => it?.address ?? '')
      const build = await newBuild()
      const script = `for (const host of process.argv.slice(1)) fetch('http://' + host + ':${port}', { signal: AbortSignal.timeout(2000) }).then(() => console.log('REACHED ' + host), () => console.log('kept out'))`
      writeFileSync(path.join(build.sourceDir, 'knock.js'), script)
      const { text } = await build.run(`node -e "$(cat knock.js)" ${own.join(' ')} 169.254.169.254`)
      expect(text).toContain('kept out')
      expect(text).not.toContain('REACHED')
    })

    test('a command that uses too much memory is ended, and the exit says so', async () => {
      const build = await newBuild()
      const line = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))"'
      expect(await build.run(line)).toMatchObject({ outOfMemory: true })
    })

    test('a fork bomb ends, and leaves nothing behind', async () => {
      const build = await newBuild()
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 1_000)
      await build.run('bomb() { bomb | bomb & }; bomb; sleep 600', {}, stop.signal)
      expect((await build.run('echo still here')).text).toBe('still here\n')
    })

    test('a setuid program that a command makes does not give it root', async () => {
      const build = await newBuild()
      const line = 'cp "$(command -v node)" suid && chmod 6755 suid; ./suid -p "process.geteuid()" 2>&1'
      expect((await build.run(line)).text.trim()).not.toBe('0')
    })

    test('the next builder of a node ends the commands that a killed one left running', async () => {
      const node = `node${randomText(12)}`
      const first = await open(node)
      const build = await newBuild(first)
      const running = build.run('echo begun; sleep 600').catch(() => undefined)
      await eventually(async () => build.written().includes('begun'))
      const second = await open(node)
      await running
      await first.close()
      await second.close()
    })
  })
}
