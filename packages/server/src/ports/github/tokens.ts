// Makes the tokens of the App: a signed JWT for the App itself, and short-lived tokens for one repository of an installation.
import githubAppJwt from 'universal-github-app-jwt'
import type { RepositoryInstallation } from './port.ts'
import type { Authorization, Send } from './requests.ts'

/** The permissions of a token, by what it is used for. */
const permissions = {
  read: { contents: 'read', metadata: 'read' },
  report: { statuses: 'write', deployments: 'write', pull_requests: 'write', metadata: 'read' },
} as const

export type Purpose = keyof typeof permissions

const entriesAtMost = 1000
/** A token, which is valid for an hour, is not used in its last minutes. */
const spareMs = 5 * 60_000

interface Made {
  token: string
  until: number
}

interface Kept {
  made: Promise<Made>
  until: number
}

export class AppTokens {
  readonly #app: { appId: string; privateKey: string }
  readonly #send: Send
  readonly #kept = new Map<string, Kept>()

  constructor(app: { appId: string; privateKey: string }, send: Send) {
    this.#app = app
    this.#send = send
  }

  async forApp(): Promise<Authorization> {
    const { appId: id, privateKey } = this.#app
    const { token } = await githubAppJwt({ id, privateKey })
    return `Bearer ${token}`
  }

  /** Concurrent requests share one token. */
  async forRepository(at: RepositoryInstallation, purpose: Purpose): Promise<string> {
    const key = `${at.installationId} ${at.repositoryId} ${purpose}`
    const kept = this.#kept.get(key)
    if (kept && kept.until > Date.now()) return (await kept.made).token
    const entry: Kept = { made: this.#make(at, purpose), until: Date.now() + 60_000 }
    if (this.#kept.size >= entriesAtMost) this.#kept.clear()
    this.#kept.set(key, entry)
    try {
      const { token, until } = await entry.made
      entry.until = until
      return token
    } catch (error) {
      if (this.#kept.get(key) === entry) this.#kept.delete(key)
      throw error
    }
  }

  /** Call it after GitHub refused a token: the App may have been installed again, or its permissions have changed. */
  forget(at: RepositoryInstallation): void {
    for (const key of this.#kept.keys())
      if (key.startsWith(`${at.installationId} ${at.repositoryId} `)) this.#kept.delete(key)
  }

  async #make(at: RepositoryInstallation, purpose: Purpose): Promise<Made> {
    const { data } = await this.#send(
      'POST /app/installations/{installation_id}/access_tokens',
      await this.forApp(),
      {
        installation_id: at.installationId,
        repository_ids: [at.repositoryId],
        permissions: permissions[purpose],
      },
    )
    return { token: String(data.token), until: Date.parse(String(data.expires_at)) - spareMs }
  }
}
