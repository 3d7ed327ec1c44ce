// The tests that every app runtime must pass.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Terminal } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { randomText } from '../../lib/ids.ts'
import { eventually } from '../../testing/eventually.ts'
import { describeEscapes } from './escapes.ts'
import { AppDidNotStart, type AppRuntime, type AppSpec, type RunningApp } from './port.ts'

interface Promises {
  /** Opens a new runtime, as svcd does on the node with this id. */
  open(nodeId: string): Promise<AppRuntime>
  /** Whether apps can reach neither the files of the platform nor each other. */
  isolates: boolean
  /** Whether it enforces limits of memory and processes. */
  limits: boolean
}

/** An app that reports what it sees. The path of a request selects what it reports. */
const curious = `
const http = require('node:http'), fs = require('node:fs')
const answers = {
  env: () => process.env,
  uid: () => process.getuid(),
  cwd: () => process.cwd(),
  list: dir => { try { return fs.readdirSync(dir) } catch (e) { return e.code } },
  read: file => { try { return fs.readFileSync(file, 'utf8') } catch (e) { return e.code } },
  write: file => { try { fs.writeFileSync(file, 'x'); return 'written' } catch (e) { return e.code } },
  pids: () => fs.readdirSync('/proc').filter(n => /^[0-9]+$/.test(n)).length,
  memory: () => { const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1)) },
  fork: () => { const all = []; try { for (let i = 0; i < 200; i++) { const c = require('node:child_process').spawn('sleep', ['60']); c.on('error', () => 0); if (!c.pid) return i; all.push(c) } return 200 } finally { for (const c of all) c.kill('SIGKILL') } },
  exit: code => process.exit(Number(code)),
}
console.log('hello from stdout'); console.error('hello from stderr')
process.on('SIGTERM', () => { console.log('goodbye'); if (!process.env.STUBBORN) process.exit(0) })
http.createServer((req, res) => {
  const [, what, argument] = /^\\/(\\w+)(?:\\?(.*))?$/.exec(req.url)
  res.end(JSON.stringify(answers[what](decodeURIComponent(argument || ''))))
}).listen(process.env.PORT, process.env.HOSTNAME)
`

export function describeRuntime(name: string, promises: Promises): void {
  describe(name, () => {
    const root = mkdtempSync(path.join(tmpdir(), 'svc-runtime-'))
    const nodeId = `node${randomText(12)}`
    let runtime: AppRuntime
    beforeAll(async () => {
      runtime = await promises.open(nodeId)
    })
    afterAll(async () => {
      await runtime?.close()
      rmSync(root, { recursive: true, force: true })
    })

    function specOf(script: string, extra: Partial<AppSpec> = {}): AppSpec & { written: () => string } {
      const deploymentId = `dep_${randomText(16)}`
      const filesDir = path.join(root, deploymentId)
      mkdirSync(path.join(filesDir, 'scratch'), { recursive: true })
      chmodSync(path.join(filesDir, 'scratch'), 0o1777)
      writeFileSync(path.join(filesDir, 'app.cjs'), script)
      const chunks: string[] = []
      return {
        instanceId: `ins_${randomText(16)}`,
        projectId: `prj_${randomText(16)}`,
        project: 'shop',
        deploymentId,
        filesDir,
        scratchDirs: [],
        command: ['node', 'app.cjs'],
        env: {},
        limits: { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 },
        readyWithinMs: 60_000,
        output: (stream, chunk) => chunks.push(`${stream}: ${chunk}`) > 0,
        written: () => chunks.join(''),
        ...extra,
      }
    }

    const ask = (app: RunningApp, question: string, by = runtime) => askAt(by, app, question)

    async function started(spec: AppSpec): Promise<RunningApp> {
      const app = await runtime.start(spec)
      onTestFinished(async () => {
        await app.stop(0)
      })
      return app
    }

    test('an app finds its disk where it was told, and the next instance what it wrote', async () => {
      const disk = path.join(root, `disk-${randomText(8)}`)
      mkdirSync(disk, { mode: 0o700 })
      const projectId = `prj_${randomText(16)}`
      const owner = await runtime.diskOwner(projectId)
      if (owner !== undefined) chownSync(disk, owner, owner)
      const extra = { projectId, disk: { dir: disk, path: '/var/lib/shop' } }
      const app = await started(specOf(curious, extra))
      const { SVC_DISK: at } = (await ask(app, 'env')) as { SVC_DISK: string }
      expect(at).toBe(promises.isolates ? '/var/lib/shop' : disk)
      expect(await ask(app, `write?${at}/note`)).toBe('written')
      await app.stop(5_000)
      // The one before still runs, as where instances share a disk.
      const next = await started(specOf(curious, { ...extra, env: { SVC_DISK: 'own' } }))
      expect(await ask(next, `read?${at}/note`)).toBe('x')
      expect(await ask(next, 'env')).toMatchObject({ SVC_DISK: 'own' })
      expect(readFileSync(path.join(disk, 'note'), 'utf8')).toBe('x')
      const other = await started(specOf(curious))
      expect(await ask(other, `list?${at}`)).toEqual(promises.isolates ? 'ENOENT' : ['note'])
    })

    test('describes itself for the operator', async () => {
      expect((await runtime.check()).description).not.toBe('')
    })

    test('an app runs in the directory of its files, and answers once it has started', async () => {
      const app = await started(specOf(curious))
      expect(await ask(app, 'list?.')).toEqual(['app.cjs', 'scratch'])
    })

    test('a command that ends runs to its end, with the variables of the app, and what it wrote arrives', async () => {
      const spec = specOf('console.log(process.env.GREETING); process.exitCode = 3', {
        env: { GREETING: 'hi' },
      })
      const exit = await runtime.run(spec, new AbortController().signal)
      expect(exit).toEqual({ code: 3, signal: null, outOfMemory: false })
      expect(spec.written()).toContain('hi')
    })

    /** Runs a line of the shell with what is typed. Later words are typed when the command has written what is before them. */
    async function attend(
      line: string,
      terminal: Terminal | undefined,
      ...typed: [after: string, words: string][]
    ) {
      const spec = specOf('', { command: ['/bin/sh', '-c', line] })
      const said = { stdout: '', stderr: '' }
      async function* input() {
        for (const [after, words] of typed) {
          await eventually(() => said.stdout.includes(after))
          yield Buffer.from(words)
        }
        if (terminal) yield { columns: 50, rows: 20 }
        else yield 'end' as const
      }
      const output = (stream: 'stdout' | 'stderr', chunk: Buffer) => {
        said[stream] += chunk
        return undefined
      }
      const signal = AbortSignal.timeout(60_000)
      const exit = await runtime.attend(spec, { terminal, input: input(), output }, signal)
      return { ...exit, ...said }
    }

    test('an attended command reads what its caller gives it, to its end', async () => {
      expect(await attend('tr a-z A-Z; echo done >&2; exit 3', undefined, ['', 'one '], ['', 'two'])).toEqual(
        {
          ...{ code: 3, signal: null, outOfMemory: false },
          ...{ stdout: 'ONE TWO', stderr: 'done\n' },
        },
      )
    })

    test('an attended command has a terminal: its size, its new size, and Ctrl-C', async () => {
      const line = `stty size; trap 'echo no; s=1' INT; echo ready; until [ "$s" ]; do sleep 0.1; done; until [ "$(stty size)" = '20 50' ]; do sleep 0.1; done; echo "$TERM"; exit 4`
      const { code, stdout } = await attend(line, { columns: 100, rows: 30, type: 'xterm-256color' }, [
        'ready',
        '\x03',
      ])
      expect({ code, stdout }).toEqual({ code: 4, stdout: '30 100\r\nready\r\n^Cno\r\nxterm-256color\r\n' })
    })

    test('an attended command does not see the key of its connection', async () => {
      expect((await attend('env | grep ATTENDED; echo end', undefined)).stdout).toBe('end\n')
    })

    test('an attended command whose program is missing says so', async () => {
      const spec = specOf('', { command: ['no-such-program', 'x'] })
      let said = ''
      async function* nothing(): AsyncGenerator<'end'> {
        yield 'end'
      }
      const output = (_: unknown, chunk: Buffer) => {
        said += chunk
        return undefined
      }
      const attended = { terminal: undefined, input: nothing(), output }
      expect(await runtime.attend(spec, attended, AbortSignal.timeout(60_000))).toMatchObject({
        code: 127,
      })
      expect(said).toContain('no-such-program: not found')
    })

    test('an attended command is killed when it is called off', async () => {
      const calledOff = new AbortController()
      const spec = specOf('', { command: ['/bin/sh', '-c', 'echo here; sleep 600'] })
      async function* nothing(): AsyncGenerator<'end'> {
        yield 'end'
      }
      const output = () => calledOff.abort(new Error('called off')) as undefined
      const attended = { terminal: undefined, input: nothing(), output }
      await expect(runtime.attend(spec, attended, calledOff.signal)).rejects.toThrow('called off')
    })

    test('a command that does not end is killed when it is called off', async () => {
      const calledOff = new AbortController()
      const spec = specOf("console.log('here'); setInterval(() => undefined, 1000)")
      const { output } = spec
      spec.output = (...said) => {
        calledOff.abort(new Error('called off'))
        return output(...said)
      }
      await expect(runtime.run(spec, calledOff.signal)).rejects.toThrow('called off')
    })

    test("an app gets its variables, PORT and HOSTNAME, but not the platform's variables", async () => {
      const app = await started(specOf(curious, { env: { GREETING: 'hi', NODE_ENV: 'production' } }))
      const env = (await ask(app, 'env')) as Record<string, string>
      expect(env).toMatchObject({ GREETING: 'hi', NODE_ENV: 'production' })
      expect(env.PORT).toMatch(/^\d+$/)
      expect(env.HOSTNAME).toMatch(/./)
      const own = ['GREETING', 'NODE_ENV', 'PORT', 'HOSTNAME', 'HOST', 'PATH', 'HOME', 'LANG', 'PWD', 'SHLVL']
      const others = Object.keys(env).filter(key => !own.includes(key) && !key.startsWith('SVC_'))
      expect(others.filter(key => key in process.env && process.env[key] === env[key])).toEqual([])
      expect(Object.keys(env).filter(key => key.startsWith('SVCD_'))).toEqual([])
    })

    test('variables with any names and values reach the app unchanged', async () => {
      const values = [
        'a "b" \'c\' $(id) `id` \\',
        'two\nlines\n',
        '',
        '=',
        '-- x',
        'grüße',
        '{{{.Node.ID}} {{- 1',
      ]
      const names = ['IFS', 'OPTIND', 'CDPATH', 'i', 'n', '_x', 'SVC_CARRIED_0', 'ENV']
      const odd = Object.fromEntries(values.map((value, i) => [`VALUE_${i}`, value]))
      const env = { ...odd, ...Object.fromEntries(names.map((name, i) => [name, String(i)])) }
      expect(await ask(await started(specOf(curious, { env })), 'env')).toMatchObject(env)
    })

    test('a command may use a shell, npm and node', async () => {
      const command = ['/bin/sh', '-c', 'echo "$GREETING"; npm --version && exec node app.cjs'] as const
      const spec = specOf(curious, { command: [...command], env: { GREETING: 'good morning' } })
      await started(spec)
      expect(spec.written()).toMatch(/stdout: good morning\n[\s\S]*\d+\.\d+\.\d+/)
    })

    test('the output of an app is passed on up to the last line', async () => {
      const spec = specOf(curious)
      const app = await started(spec)
      await app.stop(60_000)
      expect(spec.written()).toContain('stdout: hello from stdout\n')
      expect(spec.written()).toContain('stderr: hello from stderr\n')
      expect(spec.written()).toContain('goodbye\n')
    })

    test('an app that is told to stop can shut down cleanly', async () => {
      const app = await started(specOf(curious))
      expect(await app.stop(60_000)).toEqual({ code: 0, signal: null, outOfMemory: false })
      await expect(ask(app, 'cwd')).rejects.toThrow()
    })

    test('the memory and the CPU time of an app are measured', async () => {
      const app = await started(specOf(curious))
      const usage = await app.usage()
      expect(usage?.memoryBytes).toBeGreaterThan(1024 * 1024)
      expect(usage?.cpuSeconds).toBeGreaterThan(0)
    })

    test('an app that does not stop is killed', async () => {
      const app = await started(specOf(curious, { env: { STUBBORN: '1' } }))
      expect(await app.stop(100)).toEqual({ code: null, signal: 'SIGKILL', outOfMemory: false })
      await expect(ask(app, 'cwd')).rejects.toThrow()
    })

    test('all processes that an app started end with it', async () => {
      const command = ['/bin/sh', '-c', 'node app.cjs & wait'] as const
      const app = await started(specOf(curious, { command: [...command], env: { STUBBORN: '1' } }))
      await app.stop(50)
      await expect(ask(app, 'cwd')).rejects.toThrow()
    })

    test('an app that writes without end can be stopped', async () => {
      // The app waits until each line is read. Otherwise it would fill its own memory and be ended for that.
      const flood = `${curious}; const go = () => process.stdout.write('x'.repeat(1000) + '\\n', go); go()`
      let heard = 0
      const app = await started(specOf(flood, { output: () => heard++ < 0 }))
      await eventually(async () => heard > 100)
      expect(await app.stop(0)).toMatchObject({ signal: 'SIGKILL' })
    })

    test('the exit code of an app that ends by itself is reported', async () => {
      const app = await started(specOf(curious))
      ask(app, 'exit?7').catch(() => undefined)
      expect(await app.ended).toEqual({ code: 7, signal: null, outOfMemory: false })
    })

    test('the start of an app that ends before it listens rejects with the exit code', async () => {
      const spec = specOf('console.error("no database"); process.exit(3)')
      const error = await runtime.start(spec).catch(error => error)
      expect(error).toBeInstanceOf(AppDidNotStart)
      expect(error).toMatchObject({ reason: 'exited', message: expect.stringContaining('code 3') })
      expect(spec.written()).toContain('stderr: no database')
    })

    test('the start of a command that does not exist rejects', async () => {
      const error = await runtime.start(specOf('', { command: ['no-such-program'] })).catch(error => error)
      expect(error).toBeInstanceOf(AppDidNotStart)
    })

    test('the start of an app that never listens rejects, and the app is ended', async () => {
      const spec = specOf('console.log("up"); setInterval(() => console.log("tick"), 5)', {
        readyWithinMs: 1_000,
      })
      const error = await runtime.start(spec).catch(error => error)
      expect(error).toBeInstanceOf(AppDidNotStart)
      expect(error).toMatchObject({ reason: 'not listening', message: expect.stringContaining('PORT') })
      const written = spec.written()
      await new Promise(resolve => setTimeout(resolve, 50))
      expect(spec.written()).toBe(written)
    })

    test('a start can be aborted', async () => {
      const stop = new AbortController()
      const spec = specOf('console.log("up"); setInterval(() => {}, 1000)', {
        output() {
          stop.abort(new Error('enough'))
          return true
        },
      })
      await expect(runtime.start(spec, stop.signal)).rejects.toThrow('enough')
    })

    test('many apps start at the same time, each with an address of its own', async () => {
      const apps = await Promise.all(
        Array.from({ length: 4 }, (_, i) => started(specOf(curious, { env: { NUMBER: String(i) } }))),
      )
      expect(new Set(apps.map(app => `${app.address.host}:${app.address.port}`)).size).toBe(4)
      for (const [i, app] of apps.entries())
        expect(await ask(app, 'env')).toMatchObject({ NUMBER: String(i) })
    })

    test('the next svcd of a node ends the apps that the one before left running', async () => {
      const node = `node${randomText(12)}`
      const [first, second] = [await promises.open(node), await promises.open(node)]
      onTestFinished(async () => {
        await first.close()
        await second.close()
      })
      const app = await first.start(specOf(curious))
      expect(await second.endLeftovers()).toEqual([app.instanceId])
      await app.ended
      await expect(ask(app, 'cwd', first)).rejects.toThrow()
      expect(await second.endLeftovers()).toEqual([])
    })

    test('the apps of another node are left alone', async () => {
      const app = await started(specOf(curious))
      const other = await promises.open(`node${randomText(12)}`)
      onTestFinished(() => other.close())
      expect(await other.endLeftovers()).toEqual([])
      expect(await ask(app, 'cwd')).toBeTypeOf('string')
    })

    test('closing a runtime ends its apps', async () => {
      const own = await promises.open(`node${randomText(12)}`)
      const app = await own.start(specOf(curious))
      await own.close()
      expect((await app.ended).code).not.toBe(0)
      await expect(ask(app, 'cwd', own)).rejects.toThrow()
    })

    if (promises.isolates)
      describe('isolation', () => {
        test('an app cannot change its files, but has directories for temporary ones', async () => {
          const spec = specOf(curious, { scratchDirs: ['scratch'] })
          const app = await started(spec)
          expect(await ask(app, 'write?app.cjs')).toBe('EROFS')
          expect(await ask(app, 'write?new')).toBe('EROFS')
          expect(await ask(app, 'write?scratch/new')).toBe('written')
          expect(await ask(app, 'write?%2Ftmp%2Fnew')).toBe('written')
          await app.stop(0)
          const again = await started(spec)
          expect(await ask(again, 'list?scratch')).toEqual([])
          expect(await ask(again, 'list?%2Ftmp')).toEqual([])
        })

        test('an app sees neither the files of other apps nor those of the platform', async () => {
          const secret = path.join(root, 'secret')
          writeFileSync(secret, 'the key')
          const app = await started(specOf(curious))
          for (const file of [secret, '/etc/shadow', `${process.cwd()}/package.json`])
            expect(await ask(app, `read?${encodeURIComponent(file)}`)).toMatch(/^(ENOENT|EACCES)$/)
        })

        test('apps of two projects share no user, whose watched files and pipes one of them could use up', async () => {
          const [projectId, another] = [`prj_${randomText(16)}`, `prj_${randomText(16)}`]
          const uidIn = async (projectId: string) =>
            await ask(await started(specOf(curious, { projectId })), 'uid')
          const uid = await uidIn(projectId)
          expect(await uidIn(projectId)).toBe(uid)
          // Only root can become other users.
          if (process.getuid?.() === 0) expect(await uidIn(another)).not.toBe(uid)
        })

        test('an app sees no process but its own', async () => {
          const app = await started(specOf(curious))
          expect(await ask(app, 'pids')).toBeLessThan(8)
          expect(await ask(app, `read?${encodeURIComponent(`/proc/${process.pid}/environ`)}`)).toMatch(/^E/)
        })
      })

    if (promises.isolates) describeEscapes({ specOf, runtime: () => runtime })

    if (promises.limits)
      describe('limits', () => {
        test('an app that uses too much memory is ended, and the exit says so', async () => {
          const app = await started(specOf(curious))
          ask(app, 'memory').catch(() => undefined)
          expect(await app.ended).toMatchObject({ outOfMemory: true })
        })

        test('an app cannot start more processes than its limit', async () => {
          const app = await started(specOf(curious))
          expect(await ask(app, 'fork')).toBeLessThan(64)
        })
      })
  })
}

/** Sends a request to an app and returns the body of the answer. */
export async function askAt(runtime: AppRuntime, { address }: Pick<RunningApp, 'address'>, question: string) {
  const socket = await runtime.connect(address)
  return await new Promise<unknown>((resolve, reject) => {
    const asking = request({ createConnection: () => socket, path: `/${question}` }, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', part => (text += part))
      answer.on('error', reject).on('end', () => resolve(JSON.parse(text)))
    })
    asking.on('error', reject).end()
  })
}
