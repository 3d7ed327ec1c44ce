import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomText } from '../../../lib/ids.ts'
import { BuiltProject } from '../../../testing/builds.ts'
import { eventually } from '../../../testing/eventually.ts'
import { TestServer } from '../../../testing/server.ts'
import { Engine } from './engine.ts'
import { openTestEngine } from './testbed.ts'

const engine = await openTestEngine()
afterAll(() => engine.close())

/** A step that writes a line again and again: on a busy machine the engine may miss what a step writes at its start. */
const saying = (words: string) =>
  `RUN ["node", "-e", "let left = 20; const timer = setInterval(() => { console.log(${words}); if (--left === 0) clearInterval(timer) }, 100)"]`

const answering = (words: string, port = 'process.env.PORT') =>
  `require('node:http').createServer((q, s) => s.end(${words})).listen(${port}, '0.0.0.0')`

if ('missing' in engine) {
  console.warn(`The tests of Dockerfiles are skipped: ${engine.missing}`)
  describe.skip(`Dockerfiles (${engine.missing})`, () => test('all of it', () => undefined))
} else
  describe('a repository with a Dockerfile', () => {
    const { host, image } = engine
    let server: TestServer
    let project: BuiltProject
    const api = new Engine(host)
    const dockerfile = (...lines: string[]) =>
      [`FROM ${image}`, 'ENV PATH=/usr/local/bin:/bin', ...lines, ''].join('\n')
    const started = 'CMD ["node", "/srv/app.cjs"]'
    const copied = ['COPY . /srv/', started]
    const images = async () =>
      (await api.call<{ RepoTags: string[] | null }[]>('GET', '/images/json'))
        .flatMap(({ RepoTags }) => RepoTags ?? [])
        .filter(tag => tag.startsWith('svc-app:'))

    beforeAll(async () => {
      server = await TestServer.start('sqlite', {
        SVCD_RUNNER: 'docker',
        SVCD_DOCKER_HOST: host,
        SVCD_DOCKER_NETWORK: `svc-t${randomText(8)}`,
        SVCD_RUNTIME_IMAGE: image,
      })
      project = await BuiltProject.make(server)
    })
    afterAll(async () => {
      await project.copy.remove()
      await server.remove()
      for (const name of await images()) await api.call('DELETE', `/images/${name}?force=1`)
    })

    test('is built and run, as a user without rights who cannot change the files', async () => {
      const app = answering(
        `[process.getuid(), (() => { try { require('fs').writeFileSync('/srv/x', ''); return 'wrote' } catch (e) { return e.code } })(), require('fs').existsSync('/srv/secret.txt'), process.env.SVC_PROJECT].join(' ')`,
      )
      const { build, log } = await project.build({
        Dockerfile: dockerfile(saying('6 * 7'), ...copied),
        '.dockerignore': 'secret.txt\n',
        'secret.txt': 'not for the image',
        'app.cjs': app,
      })
      expect(log).toContain('Building Dockerfile')
      expect(log).toContain('42')
      expect(build).toMatchObject({ status: 'succeeded', error: null })
      // The id of a user of the project's own.
      const said = (await server.site(project.name)).text.replace(/^[2-9]\d{5} |^1\d{6} /, 'user ')
      expect(said).toBe(`user EROFS false ${project.name}`)
      expect(await images()).toHaveLength(1)
    })

    test('is a deployment of a server that counts the bytes of its image', async () => {
      const { json } = await project.send(`GET /projects/${project.name}/deployments`)
      expect(json.deployments[0]).toMatchObject({
        kind: 'server',
        framework: 'Dockerfile',
        start_command: 'node /srv/app.cjs',
        file_count: 1,
      })
      expect(json.deployments[0].size_bytes).toBeGreaterThan(1024 * 1024)
    })

    test('gets build variables only as the arguments that it declares', async () => {
      await project.setEnv('SHOWN', 'declared-value')
      await project.setEnv('HIDDEN', 'undeclared-value')
      const { build, log } = await project.build({
        Dockerfile: dockerfile(
          'ARG SHOWN',
          'RUN ["/bin/sh", "-c", "echo \\"$SHOWN-$HIDDEN\\" > /value"]',
          saying("'[' + process.env.SHOWN + ']'"),
          ...copied,
        ),
        'app.cjs': answering(`require('fs').readFileSync('/value')`),
      })
      expect(build).toMatchObject({ status: 'succeeded', error: null })
      expect(log).not.toContain('declared-value')
      expect(log).toContain('[secret]')
      expect((await server.site(project.name)).text).toBe('declared-value-\n')
      const [newest = ''] = await images()
      const history = await api.call<{ CreatedBy: string }[]>('GET', `/images/${newest}/history`)
      expect(JSON.stringify(history)).not.toContain('undeclared-value')
    })

    test('is reached at the port that it exposes, if it does not read PORT', async () => {
      const { build } = await project.build({
        Dockerfile: dockerfile('EXPOSE 8090', 'VOLUME /data', ...copied),
        'app.cjs': answering(
          `(require('fs').writeFileSync('/data/x', 'kept in memory'), require('fs').readFileSync('/data/x'))`,
          '8090',
        ),
      })
      expect(build).toMatchObject({ status: 'succeeded', error: null })
      expect((await server.site(project.name)).text).toBe('kept in memory')
      const volumes = await api.call<{ Volumes: unknown[] | null }>('GET', '/volumes')
      expect(volumes.Volumes ?? []).toEqual([])
    })

    test('whose step fails fails the build with the words of the engine, and the site stays', async () => {
      const { build, log } = await project.build({
        Dockerfile: dockerfile('RUN ["/bin/sh", "-c", "echo before; exit 3"]', ...copied),
      })
      expect(log).toContain('before')
      expect(build.status).toBe('failed')
      expect(build.error).toContain('returned a non-zero code: 3')
      expect((await server.site(project.name)).text).toBe('kept in memory')
    })

    test('without a command says what to add', async () => {
      const { build } = await project.build({ Dockerfile: 'FROM scratch\nCOPY app.cjs /\n' })
      expect(build.status).toBe('failed')
      expect(build.error).toContain('The image has no command to start')
    })

    test('whose app does not start fails with the lines of the app, and leaves no image', async () => {
      const before = await images()
      const { build } = await project.build({
        Dockerfile: dockerfile('RUN ["node", "-e", "1"]', ...copied),
        'app.cjs': 'console.error("no such table"); process.exit(1)',
      })
      expect(build.status).toBe('failed')
      expect(build.error).toContain('no such table')
      expect(await images()).toEqual(before)
    })

    test('cannot be built on the image of another project, whose name nobody knows', async () => {
      const { json } = await project.send(`GET /projects/${project.name}/deployments`)
      const { build } = await project.build({ Dockerfile: `FROM svc-app:${json.deployments[0].id}\n` })
      expect(build.status).toBe('failed')
    })

    test('cannot be built on the image of another project by the first letters of its id', async () => {
      const [newest = ''] = await images()
      const { Id } = await api.call<{ Id: string }>('GET', `/images/${newest}/json`)
      // With a letter among them: a mere number is that of a stage.
      const [letters] = /^\d*[a-f].{0,5}/.exec(Id.slice('sha256:'.length))!
      for (const lines of [`FROM ${letters}`, dockerfile(`COPY --from=${letters} /srv /stolen`, ...copied)]) {
        const { build } = await project.build({ Dockerfile: lines, 'app.cjs': answering("'stolen'") })
        expect(build.status).toBe('failed')
        expect(build.error).toContain('It must name the image')
      }
      expect((await server.site(project.name)).text).toBe('kept in memory')
    })

    test('is used also beside a file server.js, which nothing else starts', async () => {
      const { build } = await project.build({
        Dockerfile: dockerfile('COPY . /srv/', 'CMD ["node", "/srv/server.js"]'),
        'server.js': answering("'by the Dockerfile'"),
      })
      expect(build).toMatchObject({ status: 'succeeded', error: null })
      expect((await server.site(project.name)).text).toBe('by the Dockerfile')
    })

    test('is used besides package.json if svc.json names it, also in another folder', async () => {
      const { build } = await project.build({
        'package.json': JSON.stringify({ scripts: { start: 'node nothing.js' } }),
        'svc.json': JSON.stringify({ dockerfile: 'docker/web.Dockerfile' }),
        'docker/web.Dockerfile': dockerfile(...copied),
        'app.cjs': answering("'by svc.json'"),
      })
      expect(build).toMatchObject({ status: 'succeeded', error: null })
      expect((await server.site(project.name)).text).toBe('by svc.json')
    })

    test('is kept for a rollback, and its image is removed after the deployment', async () => {
      const { json } = await project.send(`GET /projects/${project.name}/deployments`)
      const earlier = json.deployments.filter(({ status }: { status: string }) => status === 'superseded')
      const first = earlier.at(-1).id
      await project.send(`POST /projects/${project.name}/deployments/${first}/activate`)
      expect((await server.site(project.name)).text).toContain('EROFS false')
      const before = await images()
      await project.send(`DELETE /projects/${project.name}/deployments/${earlier[0].id}`)
      server.clock.advance(11 * 60_000)
      await eventually(async () => {
        server.clock.advance(11 * 60_000)
        return (await images()).length === before.length - 1
      })
    })
  })
