import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { WorkingCopy } from '../testing/git.ts'
import { send } from '../testing/send.ts'
import { onEveryServer } from '../testing/server.ts'
import { freshName } from '../testing/team.ts'

const settings = { SVCD_BUILD_DISK_MB: '64', SVCD_BUILD_MEMORY_MB: '256' }

onEveryServer(server => {
  /** The end of a build whose command is this line. */
  async function buildOf(line: string, env: Record<string, string> = {}) {
    const owner = await server().account()
    const name = freshName()
    await send(server(), 'POST /projects', owner, { name })
    const body = { repo: `${owner.login}/site`, build_cmd: line, install_cmd: 'true' }
    await send(server(), `POST /projects/${name}/repo`, owner, body)
    for (const [key, value] of Object.entries(env))
      await send(server(), `PUT /projects/${name}/env/${key}`, owner, { value, scope: 'build' })
    const copy = await WorkingCopy.make(server(), owner.token, body.repo)
    await copy.commit({ 'index.html': 'x', 'package.json': '{}' })
    await copy.git('push', 'origin', 'main')
    await copy.remove()
    const last = async () => (await send(server(), `GET /projects/${name}/builds`, owner)).json.builds[0]
    await eventually(async () => (await last()).finished_at !== null)
    const build = await last()
    const log = (await send(server(), `GET /projects/${name}/builds/${build.id}/log`, owner)).text
    return { build, log, name }
  }

  describe('a build', () => {
    it('that fills the disk is ended', async () => {
      const { build } = await buildOf('dd if=/dev/zero of=big bs=1M count=200 2>/dev/null; sleep 600')
      expect(build).toMatchObject({ status: 'failed', error: expect.stringContaining('more than 64 MB') })
    })

    it('that needs too much memory is ended', async () => {
      const line = `node -e "const all=[]; for(;;) all.push(Buffer.alloc(16*1024*1024, 1))"`
      const { build } = await buildOf(line)
      expect(build).toMatchObject({ status: 'failed' })
    })

    it('that writes without end has a log with an end, in which secrets are not cut in two', async () => {
      const { build, log } = await buildOf(
        `head -c 20000 /dev/zero | tr '\\0' y; printf %s "$TOKEN"; head -c 9000000 /dev/zero | tr '\\0' x; true`,
        { TOKEN: 'hunter2-hunter2-hunter2' },
      )
      expect(build.status).toBe('succeeded')
      expect(log.length).toBeLessThan(5 * 1024 * 1024)
      expect(log).toContain('The log ends here')
      expect(log.replaceAll('\n', '')).toContain('yyy[secret]xxx')
      expect(log.replaceAll('\n', '')).not.toContain('hunter2')
    })

    it('leaves nothing behind, however deep or closed the folders are that it made', async () => {
      const { build } = await buildOf(
        `mkdir -p shut/x; chmod 000 shut; node -e "for (let i = 0; i < 2500; i++) { fs.mkdirSync('d'); process.chdir('d') }"`,
      )
      expect(build).toMatchObject({ status: 'failed', error: expect.stringContaining('nested too deeply') })
      const left = () => readdir(path.join(server().dataDir, 'builds'))
      await eventually(async () => !(await left()).some(name => name.startsWith('bld_')))
    })

    it('publishes plain files alone: no pipes, no sockets, and nothing behind a second name is lost', async () => {
      const { build, name } = await buildOf(
        `mkdir dist; cd dist; echo hi > index.html; ln index.html second.html; mkfifo pipe; node -e "require('net').createServer().listen('sock', () => process.exit())"; chmod 6777 index.html`,
      )
      expect(build).toMatchObject({ status: 'succeeded' })
      expect((await server().site(name, '/second')).text).toBe('hi\n')
      expect((await server().site(name, '/pipe')).status).toBe(404)
    })

    it('sees nothing of the platform, of other processes or of the machine’s network', async () => {
      const { build, log } = await buildOf(
        [
          `ls ${server().dataDir} 2>&1`,
          'cat /etc/shadow 2>&1',
          'env | grep -c SVCD_',
          'ls /proc | grep -c "^[0-9]"',
          `node -e "require('net').connect(${server().running.port}, '127.0.0.1').on('connect', () => console.log('got ' + 'through')).on('error', e => console.log('not reached', e.code))"`,
          'touch /usr/x 2>&1; touch /x 2>&1; true',
        ].join('; '),
      )
      expect(build.status).toBe('succeeded')
      expect(log).toContain('not reached')
      expect(log).not.toContain('got through')
      expect(log).not.toMatch(/svc\.db|root:/)
      expect(log).toMatch(/^0$/m)
    })
  })
}, settings)
