// How often something may be done. Each endpoint names its limits in its row. The API's limiter, the reference and the
// tables in docs/limits.md read them from there. The limits that no row names are for visitors of sites and for emails.
import { dayMs, hourMs, minuteMs, secondMs } from './durations.ts'
import { formatWhole } from './whole-number.ts'

/** What is counted together, in the words of the reference. A /64 of IPv6 addresses counts as one address. */
const scopes = {
  account: 'per account',
  address: 'per address',
  'sign-in': 'per address and per login; with a `device_secret`, per device',
  'signing-in account': 'per account',
  'deploy hook': 'per hook',
  owner: 'per account or org',
  project: 'per project',
  recipient: 'per recipient',
  site: 'per address and site',
} as const

export interface RateLimit {
  limit: number
  windowMs: number
  /** What is counted, such as `wrong codes`. */
  of: string
  per: keyof typeof scopes
  /** Requests that succeed are not counted. */
  failuresOnly?: true
}

export const rateLimits = {
  writes: { limit: 6_000, windowMs: 10 * minuteMs, of: 'changes', per: 'account' },
  // A team that signs up from one office has one address, and attempts that are refused count, too.
  signUp: { limit: 60, windowMs: 10 * minuteMs, of: 'sign-ups', per: 'address' },
  inviteLooks: { limit: 60, windowMs: 10 * minuteMs, of: 'invites looked at', per: 'address' },
  nodeJoins: { limit: 10, windowMs: 10 * minuteMs, of: 'codes of new nodes', per: 'address' },
  passwordReset: { limit: 20, windowMs: 10 * minuteMs, of: 'forgotten passwords', per: 'address' },
  signIn: { limit: 10, windowMs: 10 * minuteMs, of: 'sign-ins', per: 'sign-in' },
  deviceStart: { limit: 10, windowMs: 10 * minuteMs, of: 'device logins', per: 'address' },
  devicePoll: { limit: 180, windowMs: 10 * minuteMs, of: 'polls', per: 'address' },
  // An account that guesses codes could otherwise approve the login of a stranger (RFC 8628, section 5.1).
  userCode: {
    limit: 10,
    windowMs: 10 * minuteMs,
    of: 'wrong codes',
    per: 'account',
    failuresOnly: true,
  },
  // Strangers start these builds, and the owner of the project pays for the minutes.
  forkBuilds: { limit: 30, windowMs: dayMs, of: 'builds of pull requests from forks', per: 'project' },
  githubLink: { limit: 10, windowMs: 10 * minuteMs, of: 'requests', per: 'account' },
  signInCodes: {
    limit: 30,
    windowMs: 10 * minuteMs,
    of: 'wrong codes at sign-in',
    per: 'address',
    failuresOnly: true,
  },
  // Whoever guesses here knows the password. 20 guesses a day find one of three valid codes in about 45 years.
  totpCodes: {
    limit: 20,
    windowMs: dayMs,
    of: 'wrong codes of the authenticator app at sign-in',
    per: 'signing-in account',
    failuresOnly: true,
  },
  passkeyOptions: { limit: 60, windowMs: 10 * minuteMs, of: 'sign-ins with a passkey begun', per: 'address' },
  passkeySignIn: {
    limit: 30,
    windowMs: 10 * minuteMs,
    of: 'failed sign-ins with a passkey',
    per: 'address',
    failuresOnly: true,
  },
  passkeyChallenges: { limit: 30, windowMs: 10 * minuteMs, of: 'requests', per: 'account' },
  passwordChecks: { limit: 10, windowMs: 10 * minuteMs, of: 'requests', per: 'account' },
  tokens: { limit: 250, windowMs: 10 * minuteMs, of: 'new tokens', per: 'account' },
  exports: { limit: 10, windowMs: 10 * minuteMs, of: 'exports', per: 'account' },
  eventStreams: { limit: 600, windowMs: 10 * minuteMs, of: 'event streams', per: 'account' },
  paymentPages: { limit: 30, windowMs: 10 * minuteMs, of: 'payment pages', per: 'account' },
  vatNumbers: { limit: 30, windowMs: hourMs, of: 'VAT numbers', per: 'owner' },
  // A CMS calls the hooks of all its customers from the same few addresses, so only failed calls count against the address.
  deployHookFailures: {
    limit: 60,
    windowMs: 10 * minuteMs,
    of: 'failed calls',
    per: 'address',
    failuresOnly: true,
  },
  notificationTests: { limit: 30, windowMs: 10 * minuteMs, of: 'tests of notifications', per: 'account' },
  deployHook: { limit: 30, windowMs: 10 * minuteMs, of: 'calls', per: 'deploy hook' },

  mailToConfirmed: {
    limit: 200,
    windowMs: dayMs,
    of: 'emails to a confirmed address',
    per: 'recipient',
  },
  mailToStranger: {
    limit: 10,
    windowMs: dayMs,
    of: 'emails that the recipient did not ask for',
    per: 'recipient',
  },
  strangers: {
    limit: 50,
    windowMs: dayMs,
    of: 'emails that their recipients did not ask for',
    per: 'owner',
  },
  /** Strangers can cause these, so they count against no other limit. */
  passwordMail: { limit: 5, windowMs: hourMs, of: 'emails for a new password', per: 'recipient' },
  securityMail: {
    limit: 10,
    windowMs: dayMs,
    of: 'emails about changes to how an account signs in',
    per: 'account',
  },
  /** An address can belong to several accounts. */
  securityMailToOne: {
    limit: 50,
    windowMs: dayMs,
    of: 'emails about changes to how accounts sign in',
    per: 'recipient',
  },
  /** Counted twice: for the recipient, and for the account or org. */
  invoiceMail: { limit: 20, windowMs: dayMs, of: 'emails with invoices', per: 'recipient' },

  unlock: { limit: 10, windowMs: 10 * minuteMs, of: 'site passwords', per: 'site' },
  basicAuth: { limit: 20, windowMs: 10 * minuteMs, of: 'wrong passwords of `Basic-Auth`', per: 'site' },
  form: { limit: 30, windowMs: 10 * minuteMs, of: 'form submissions', per: 'site' },
} as const satisfies Record<string, RateLimit>

export type RateLimitName = keyof typeof rateLimits

const units = [
  [dayMs, 'day'],
  [hourMs, 'hour'],
  [minuteMs, 'minute'],
] as const

/** Such as `10 wrong codes per 10 minutes per account`. */
export function describeRateLimit(name: RateLimitName): string {
  const { limit, windowMs, of, per } = rateLimits[name]
  const [unitMs, unit] = units.find(([unitMs]) => windowMs % unitMs === 0) ?? [secondMs, 'second']
  const count = windowMs / unitMs
  const period = count === 1 ? unit : `${count} ${unit}s`
  return `${formatWhole(limit)} ${of} per ${period} ${scopes[per]}`
}
