// svcd users: manages the accounts of the built-in forge. It works while the server runs.
import { parseArgs } from 'node:util'
import { withPlatform } from '../compose/command-platform.ts'
import { changeUser } from '../core/admin/user-changes.ts'
import type { Platform, Rows } from '../core/base/platform.ts'
import { isoTime } from '../core/base/times.ts'
import { createAccount } from '../core/identity/accounts.ts'
import { changePassword } from '../core/identity/password-change.ts'
import { resetSecondFactor } from '../core/identity/second-factor.ts'
import { makeToken } from '../core/identity/tokens.ts'
import { deleteAccountAs, keepAccountAs } from '../core/platform/account-deletion/schedule.ts'
import { newSecret } from '../lib/ids.ts'
import { listAccounts } from '../store/identity/accounts.ts'
import { complain } from './output.ts'
import { limitsOf } from './owner-limits.ts'
import { readPassword } from './password-option.ts'
import { resumeAs, suspendAs, suspensionOptions } from './suspension.ts'

const options = {
  email: { type: 'string' },
  password: { type: 'string' },
  admin: { type: 'boolean' },
  token: { type: 'boolean' },
  'revoke-tokens': { type: 'boolean' },
  now: { type: 'boolean' },
  set: { type: 'string', multiple: true },
  ...suspensionOptions,
} as const

type Values = {
  email?: string
  password?: string
  admin?: boolean
  token?: boolean
  'revoke-tokens'?: boolean
  now?: boolean
  set?: string[]
  status?: string
  reason?: string
}

const subcommands: Record<string, (platform: Platform, login: string, values: Values) => Promise<void>> = {
  create,
  list,
  passwd,
  'reset-2fa': reset2fa,
  disable,
  enable: setting({ disabled: false }, login => `${login} can sign in, and its tokens work again.`),
  limits: limitsOf,
  suspend: (platform, login, values) => suspendAs(platform, 'account', login, values),
  resume: (platform, login) => resumeAs(platform, 'account', login),
  rm: remove,
  keep: async (platform, login) => {
    const account = await keepAccountAs(platform, { ip: '' }, login)
    tell(`${account.login} stays, and its sites are online again. Its tokens stay revoked.`)
  },
  'make-admin': setting({ admin: true }, login => `${login} is a platform admin.`),
  'remove-admin': setting({ admin: false }, login => `${login} is not a platform admin.`),
}

const verbs = Object.keys(subcommands).filter(verb => verb !== 'list')

export async function users(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [verb = '', login = '', extra] = positionals
  const run = Object.hasOwn(subcommands, verb) ? subcommands[verb] : undefined
  if (!run || extra !== undefined || (verb !== 'list' && login === ''))
    return complain(`Usage: svcd users list, or svcd users <${verbs.join('|')}> <login>`)
  const password = await readPassword(values.password)
  await withPlatform(platform =>
    run(platform, login, password === undefined ? values : { ...values, password }),
  )
  return 0
}

async function create(platform: Rows, login: string, values: Values): Promise<void> {
  // An account without a password works with tokens only. The operator can set a password later.
  const { email, admin = false, password } = values
  const account = await createAccount(platform, { login, email, admin, password })
  tell(`Created ${account.login}${account.is_admin ? ' (admin)' : ''}.`)
  if (account.password_hash === null)
    tell(`It has no password. To sign in to the dashboard, set one: svcd users passwd ${account.login}`)
  if (!values.token) return
  const token = { kind: 'cli', label: 'svcd users create', accountId: account.id } as const
  const made = await makeToken(platform.store.db, platform.clock.now(), token)
  process.stdout.write(`${made.token}\n`)
}

async function list(platform: Pick<Platform, 'store'>): Promise<void> {
  const accounts = await listAccounts(platform.store.db)
  for (const account of accounts) {
    const columns = [account.id, account.login, account.email ?? '-', account.is_admin ? 'admin' : 'user']
    if (account.disabled_at !== null) columns.push('disabled')
    process.stdout.write(`${columns.join('  ')}\n`)
  }
  const without = accounts.filter(account => account.password_hash === null).map(({ login }) => login)
  if (without.length > 0)
    tell(`Without a password: ${without.join(', ')}. 'svcd users passwd <login>' sets one.`)
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Sets a password. Without --password it makes a random one, and prints only that on stdout. */
async function passwd(platform: Rows, login: string, values: Values): Promise<void> {
  const password = values.password ?? newSecret().slice(0, 20)
  const revokeTokens = values['revoke-tokens']
  const { sessionsEnded, tokensRevoked, kept } = await changePassword(platform, login, password, {
    revokeTokens,
  })
  const ended = `${count(sessionsEnded, 'session')} ended, ${count(tokensRevoked, 'token')} revoked.`
  tell(`Changed the password of ${login}. ${ended}`)
  if (kept.length > 0) tell(`These tokens still work: ${kept.join(', ')}. To revoke them: --revoke-tokens`)
  if (values.password === undefined) process.stdout.write(`${password}\n`)
}

/** For a person who has lost the phone and the recovery codes. */
async function reset2fa(platform: Rows, login: string): Promise<void> {
  const { totp, passkeys, sessionsEnded } = await resetSecondFactor(platform, login)
  const removed = [totp && 'the authenticator app', passkeys > 0 && count(passkeys, 'passkey')].filter(
    Boolean,
  )
  if (removed.length === 0) return tell(`${login} has neither an authenticator app nor passkeys.`)
  tell(`Removed ${removed.join(' and ')} of ${login}. ${count(sessionsEnded, 'session')} ended.`)
  tell(
    `The password is enough to sign in now. If others may know it, or there is none: svcd users passwd ${login}`,
  )
}

/** The sites of the account stay online. */
async function disable(platform: Rows, login: string): Promise<void> {
  const { sessionsEnded } = await changeUser(platform, login, { disabled: true }, { ip: '' })
  tell(`Disabled ${login}. ${count(sessionsEnded, 'session')} ended, and its tokens do not work any more.`)
}

/** The sweep of a running server deletes what the account owns. */
async function remove(platform: Platform, login: string, { now }: Values): Promise<void> {
  const { login: name, delete_at } = await deleteAccountAs(platform, { ip: '' }, login, { now })
  if (now)
    return tell(
      `${name} is being deleted with everything it owns. That takes the running server some minutes.`,
    )
  tell(`${name} and everything it owns will be deleted at ${isoTime(delete_at!)}. Its sites are offline.`)
  tell(`To keep it: svcd users keep ${name}. To delete it at once: svcd users rm ${name} --now`)
}

function setting(change: Parameters<typeof changeUser>[2], done: (login: string) => string) {
  return async (platform: Rows, login: string): Promise<void> => {
    const { account } = await changeUser(platform, login, change, { ip: '' })
    tell(done(account.login))
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}
