// The device flow: a terminal shows a code, a signed-in browser approves it, the terminal gets its token once.
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newSecret, randomText, sha256 } from '../../lib/ids.ts'
import {
  decide,
  findWaiting,
  insertDeviceLogin,
  markUsed,
  notePoll,
} from '../../store/identity/device-logins.ts'
import type { Caller } from '../base/caller.ts'
import type { GitHubParts, Platform, Rows, SignUpRules } from '../base/platform.ts'
import { isoTime } from '../base/times.ts'
import { pollGitHubLogin } from './github-sign-in.ts'
import { makeToken } from './tokens.ts'

/** Without vowels, so that codes form no words, and without letters that look like digits. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

export async function startDeviceLogin(
  platform: Rows & Pick<Platform, 'deviceInterval' | 'urls'>,
  from: { ip: string; userAgent: string },
) {
  const deviceCode = newSecret()
  const now = platform.clock.now()
  for (;;) {
    const userCode = `${randomText(4, letters)}-${randomText(4, letters)}`
    const isNew = await insertDeviceLogin(platform.store.db, {
      code_hash: sha256(deviceCode),
      user_code: userCode,
      status: 'waiting',
      account_id: null,
      ip: from.ip,
      user_agent: from.userAgent.slice(0, 300),
      created_at: now,
      expires_at: now + limits.deviceExpiresSeconds * 1000,
      polled_at: null,
      github: null,
      interval_ms: platform.deviceInterval * 1000,
    })
    if (!isNew) continue
    const page = `${platform.urls.dashboard}/device`
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${userCode}`,
      expires_in: limits.deviceExpiresSeconds,
      interval: platform.deviceInterval,
    }
  }
}

export async function pollDeviceLogin(
  platform: GitHubParts & SignUpRules,
  deviceCode: string,
): Promise<{ token: string }> {
  const now = platform.clock.now()
  const codeHash = sha256(deviceCode)
  const outcome = await platform.store.transact(async tx => {
    const login = await notePoll(tx, codeHash, now)
    if (!login || login.expires_at <= now || login.status === 'used') return 'expired'
    if (login.status === 'denied') return 'denied'
    if (login.status === 'approved' && login.account_id && (await markUsed(tx, codeHash)))
      return await makeToken(tx, now, { kind: 'cli', label: 'svc login', accountId: login.account_id })
    const tooFast = login.polled_before !== null && now - login.polled_before < login.interval_ms
    return tooFast ? 'too fast' : login.github !== null ? { atGitHub: login } : 'waiting'
  })
  // Throw outside the transaction, because an error inside would roll back the record of this poll.
  const ended =
    typeof outcome === 'object' && 'atGitHub' in outcome
      ? await pollGitHubLogin(platform, outcome.atGitHub)
      : outcome
  if (typeof ended === 'object') return { token: ended.token }
  throw pollFaults[ended]()
}

const pollFaults = {
  expired: () => new Fault('expired_token', 'The code expired or was used. Start the login again.'),
  denied: () => new Fault('access_denied', 'Authorization was denied.'),
  'too fast': () => new Fault('slow_down', 'Polling too fast. Wait 5 seconds longer between polls.'),
  waiting: () => new Fault('authorization_pending', 'Waiting for approval in the browser.'),
}

export async function describeDeviceLogin(platform: Rows, userCode: string) {
  const login = await findWaiting(platform.store.db, normalised(userCode), platform.clock.now())
  if (!login) throw noSuchCode()
  const { user_code, ip, user_agent, created_at } = login
  return { user_code, created_at: isoTime(created_at), ip, user_agent }
}

export async function decideDeviceLogin(
  platform: Rows,
  caller: Caller,
  userCode: string,
  status: 'approved' | 'denied',
): Promise<void> {
  const decision = { status, account_id: caller.account.id }
  const decided = await decide(platform.store.db, normalised(userCode), decision, platform.clock.now())
  if (!decided) throw noSuchCode()
}

/** People type codes in lower case and without the dash. */
function normalised(userCode: string): string {
  const plain = userCode.toUpperCase().replace(/[^A-Z]/g, '')
  return `${plain.slice(0, 4)}-${plain.slice(4)}`
}

const noSuchCode = (): Fault =>
  new Fault('not_found', 'No login waits for this code. It may have expired: run svc login again.')
