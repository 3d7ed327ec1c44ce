// The kinds of settings: how each is read from text, how it is printed, and what the docs say that it accepts.
import { isIP } from 'node:net'
import path from 'node:path'
import { Secret } from '../lib/secret.ts'

/** A value that a setting does not accept. The message follows the name of the setting. */
export class Unacceptable extends Error {}

export interface Kind<T> {
  /** Reads a text that is not empty; throws `Unacceptable`. */
  parse(text: string): T
  print(value: T): string
  /** What it accepts, for the docs. */
  accepts: string
  /** Its values are never printed. */
  isSecret?: true
  /** The values, if there are only a few. */
  options?: readonly string[]
  /** Its values may have several lines. */
  isLong?: true
  /** Its values name something on the disk of the machine. */
  isPath?: true
}

const refuse = (problem: string): never => {
  throw new Unacceptable(problem)
}

// Each value is printed on one line, and some are sent in headers and emails.
const controlCharacters = /\p{Cc}/u

export const text: Kind<string> = {
  parse: value =>
    controlCharacters.test(value) ? refuse('must be one line without control characters') : value,
  print: String,
  accepts: 'text',
}

/** Read as an absolute path, so that it means the same in every directory. */
export const directory: Kind<string> = {
  ...text,
  parse: value => path.resolve(text.parse(value)),
  accepts: 'a directory',
  isPath: true,
}

export const file: Kind<string> = { ...text, accepts: 'a file', isPath: true }

export const lowerCase: Kind<string> = { ...text, parse: value => text.parse(value).toLowerCase() }

export const matching = (accepts: string, pattern: RegExp, problem: string): Kind<string> => ({
  parse: value => (pattern.test(value) ? value : refuse(`${problem}, not '${value}'`)),
  print: String,
  accepts,
})

const lowerCaseName = matching(
  'a domain name',
  /^[a-z0-9-]+(\.[a-z0-9-]+)*$/,
  'must be a domain name such as example.com',
)

export const domainName: Kind<string> = {
  ...lowerCaseName,
  parse: value => lowerCaseName.parse(withoutTrailing('.', value.toLowerCase())),
}

export const whole = (min: number, max: number, accepts = `${min}–${max}`): Kind<number> => ({
  parse: value =>
    /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : refuse(`must be a whole number from ${min} to ${max}, not '${value}'`),
  print: String,
  accepts,
})

export const KB = 1024
export const MB = 1024 * KB
export const GB = 1024 * MB

export const bytes = (min: number, max: number): Kind<number> =>
  whole(min, max, `${bytesInWords(min)}–${bytesInWords(max)}, in bytes`)

/** Writes a number of bytes with its unit. Limits and defaults are whole numbers of a unit. */
export function bytesInWords(count: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB']
  let unit = 0
  for (; count > 0 && count % 1024 === 0 && unit < units.length - 1; unit++) count /= 1024
  return count === 0 ? '0' : `${count} ${units[unit]}`
}

export const port = (min: 0 | 1 = 1): Kind<number> => whole(min, 65_535)

export const choice = <const T extends string>(...options: T[]): Kind<T> => ({
  parse: value =>
    options.find(option => option === value) ??
    refuse(`must be one of ${options.join(', ')}, not '${value}'`),
  print: String,
  accepts: options.map(option => `\`${option}\``).join(', '),
  options,
})

/** svcd chooses the value where it is `auto`. */
export const orAuto = (kind: Kind<number>): Kind<number | 'auto'> => ({
  parse: value => (value === 'auto' ? value : kind.parse(value)),
  print: String,
  accepts: `\`auto\`, or ${kind.accepts}`,
})

export const flag: Kind<boolean> = {
  parse: value => choice('0', '1').parse(value) === '1',
  print: value => (value ? '1' : '0'),
  accepts: '`0`, `1`',
  options: ['0', '1'],
}

export const listOf = <T>(kind: Kind<T>, accepts: string): Kind<T[]> => ({
  parse: value =>
    value
      .split(',')
      .map(entry => entry.trim())
      .filter(Boolean)
      .map(kind.parse),
  print: values => values.map(kind.print).join(','),
  accepts,
  isSecret: kind.isSecret,
})

/** Parses a URL. It may contain a password, so no error message repeats it. */
function checkUrl(value: string, protocols: readonly string[]): URL {
  const parsed = URL.canParse(value) && !controlCharacters.test(value) ? new URL(value) : undefined
  if (parsed && protocols.includes(parsed.protocol)) return parsed
  return refuse(`must be a URL that begins with ${protocols.map(name => `${name}//`).join(' or ')}`)
}

/** A URL that is printed, and so holds no password. */
export const webUrl: Kind<string> = {
  parse: value => {
    const { username, password } = checkUrl(value, ['https:', 'http:'])
    return username || password ? refuse('must not hold a user name or a password') : value
  },
  print: String,
  accepts: 'a URL',
}

const isEmail = (value: string): boolean =>
  /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/.test(value) && !controlCharacters.test(value)

/** The `From` of emails. */
export const sender: Kind<string> = {
  parse: value => {
    const [, address = value] = /^[^<>]*<([^<>]*)>$/.exec(text.parse(value)) ?? []
    return isEmail(address) ? value : refuse('must be an email address, or a name and <address>')
  },
  print: String,
  accepts: 'an email address, or `name <address>`',
}

/** Where people write to: an email address, or the URL of a page. */
export const contact: Kind<string> = {
  parse: value => {
    if (value.includes('://')) return webUrl.parse(value)
    return isEmail(value) ? value : refuse('must be an email address or a URL')
  },
  print: String,
  accepts: 'an email address or a URL',
}

function withoutTrailing(character: '/' | '.', value: string): string {
  let end = value.length
  while (value[end - 1] === character) end--
  return value.slice(0, end)
}

/** A URL that paths are appended to. */
export const baseUrl: Kind<string> = {
  ...webUrl,
  parse: value => {
    const { search, hash } = new URL(webUrl.parse(value))
    if (search || hash) return refuse('must be a URL without ? and #, such as https://github.example.com')
    return withoutTrailing('/', value)
  },
}

const secretly = (accepts: string, check: (value: string) => unknown): Kind<Secret> => ({
  parse: value => {
    if (value === String(new Secret('')))
      return refuse("is '[secret]', which 'svcd config' prints instead of a secret. Set the value itself")
    check(value)
    return new Secret(value)
  },
  print: String,
  accepts,
  isSecret: true,
})

export const secret = secretly('a secret', () => undefined)

export const secretText: Kind<Secret> = { ...secret, isLong: true }

export const secretUrl = (...protocols: string[]): Kind<Secret> =>
  secretly(protocols.map(name => `\`${name}//…\``).join(', '), value => checkUrl(value, protocols))

/** A path that begins with a slash, or a URL. */
export const folderOrUrl = (...protocols: string[]): Kind<Secret> =>
  secretly(['`/…`', ...protocols.map(name => `\`${name}//…\``)].join(', '), value =>
    value.startsWith('/') ? text.parse(value) : checkUrl(value, protocols),
  )

const passphraseLength = 12

export const passphrase = secretly(`at least ${passphraseLength} characters`, value => {
  if (value.length < passphraseLength) refuse(`must have at least ${passphraseLength} characters`)
})

/** How many backups stay: of so many hours, days, weeks and months. */
export interface Keep {
  hours: number
  days: number
  weeks: number
  months: number
}

export const keep: Kind<Keep> = {
  parse(value) {
    const found: Record<string, number> = { h: 0, d: 0, w: 0, m: 0 }
    for (const part of value.split(',')) {
      const [, count, unit] = /^ *(\d{1,4})([hdwm]) *$/.exec(part) ?? []
      if (count === undefined)
        return refuse(`must be hours, days, weeks and months such as 24h,7d,4w,6m, not '${value}'`)
      found[unit!] = Number(count)
    }
    return { hours: found.h!, days: found.d!, weeks: found.w!, months: found.m! }
  },
  print: ({ hours, days, weeks, months }) => `${hours > 0 ? `${hours}h,` : ''}${days}d,${weeks}w,${months}m`,
  accepts: 'numbers of hours, days, weeks and months, such as `7d,4w,6m`',
}

export const sealKey = secretly('32 bytes in base64', value => {
  if (value.includes(',')) refuse('must be one key; older ones belong in SVCD_SECRET_KEYS_OLD')
  if (Buffer.from(value, 'base64').length !== 32) refuse('must be 32 bytes in base64')
})

export const dnsServer: Kind<string> = {
  ...text,
  parse: value =>
    isIP(value) || /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/i.test(value)
      ? value
      : refuse(`must be addresses such as 1.1.1.1 or 1.1.1.1:53, not '${value}'`),
}

/** An address, or a network such as 10.0.0.0/8. */
const network: Kind<string> = {
  ...text,
  parse: value => {
    const [address = '', bits = '0', more] = value.split('/')
    const longest = { 4: 32, 6: 128 }[isIP(address)] ?? -1
    return more === undefined && /^\d+$/.test(bits) && Number(bits) <= longest
      ? value
      : refuse(`must be 'off' or addresses such as 127.0.0.1, 10.0.0.0/8, not '${value}'`)
  },
}

const networkList = listOf(network, '`off`, or addresses and networks with commas between')

export const networks: Kind<string[]> = {
  ...networkList,
  parse: value => (value === 'off' ? [] : networkList.parse(value)),
  print: values => networkList.print(values) || 'off',
}

/** The public key of age, as `age-keygen` prints it: Bech32 with a checksum. */
export const ageRecipient: Kind<string> = {
  parse: value => {
    if (value.startsWith('AGE-SECRET-KEY-'))
      refuse('must be the public key (age1…). The private key stays off this machine: store it elsewhere')
    return isAgeRecipient(value)
      ? value
      : refuse('must be a public key of age, such as age1…, without a typing error')
  },
  print: String,
  accepts: 'a public key of age',
}

const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

function isAgeRecipient(text: string): boolean {
  const data = [...text.slice('age1'.length)].map(letter => bech32Letters.indexOf(letter))
  if (!/^age1[a-z0-9]{58}$/.test(text) || data.includes(-1)) return false
  const prefix = [...'age'].map(letter => letter.charCodeAt(0))
  return bech32Sum([...prefix.map(code => code >> 5), 0, ...prefix.map(code => code & 31), ...data]) === 1
}

function bech32Sum(values: readonly number[]): number {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [i, generator] of generators.entries()) if ((top >> i) & 1) sum ^= generator
  }
  return sum >>> 0
}
