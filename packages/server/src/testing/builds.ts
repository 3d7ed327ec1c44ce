// A project that builds from a repository of the built-in forge, and a real git client that pushes to it.
import { eventually } from './eventually.ts'
import { WorkingCopy } from './git.ts'
import { send } from './send.ts'
import type { TestServer } from './server.ts'
import { freshName } from './team.ts'

export class BuiltProject {
  readonly name: string
  readonly copy: WorkingCopy
  readonly #server: TestServer
  readonly #owner: Awaited<ReturnType<TestServer['account']>>

  private constructor(
    server: TestServer,
    owner: Awaited<ReturnType<TestServer['account']>>,
    name: string,
    copy: WorkingCopy,
  ) {
    this.#server = server
    this.#owner = owner
    this.name = name
    this.copy = copy
  }

  static async make(server: TestServer, settings: Record<string, unknown> = {}): Promise<BuiltProject> {
    const owner = await server.account()
    const name = freshName()
    const repo = `${owner.login}/site`
    await send(server, 'POST /projects', owner, { name })
    await send(server, `POST /projects/${name}/repo`, owner, { repo, ...settings })
    return new BuiltProject(server, owner, name, await WorkingCopy.make(server, owner.token, repo))
  }

  /** Commits the files, pushes them to the branch and waits for the end of the build. */
  async build(files: Record<string, string | Buffer>, branch = 'main') {
    await this.copy.commit(files)
    return await this.push(branch)
  }

  async push(branch = 'main') {
    await this.copy.git('push', '--force', 'origin', `HEAD:refs/heads/${branch}`)
    await eventually(async () => (await this.#last())?.finished_at !== null)
    const build = await this.#last()
    const log = await send(this.#server, `GET /projects/${this.name}/builds/${build.id}/log`, this.#owner)
    return { build, log: log.text }
  }

  async setEnv(key: string, value: string, target: Record<string, unknown> = {}): Promise<void> {
    const body = { value, scope: 'build', ...target }
    await send(this.#server, `PUT /projects/${this.name}/env/${key}`, this.#owner, body)
  }

  /** A call of the API by the owner, such as `GET /projects`. */
  send(call: Parameters<typeof send>[1]) {
    return send(this.#server, call, this.#owner)
  }

  async #last() {
    return (await send(this.#server, `GET /projects/${this.name}/builds`, this.#owner)).json.builds[0]
  }
}
