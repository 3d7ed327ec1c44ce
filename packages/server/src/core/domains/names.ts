// Which names can be attached as custom domains, in the one form that is stored and compared.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { Fault } from '../../lib/fault.ts'

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** A longer text is no domain in any spelling: the ASCII form of a domain has at most 253 characters. */
const charactersAtMost = 300

interface OwnNames {
  /** The platform's own domain. */
  domain: string
  /** What customers point their domains at. */
  dnsTarget: string
}

/** Lower case, punycode, no dot at the end. */
export function domainName(input: string, own: OwnNames): string {
  const typed = input.trim().replace(/\.$/, '')
  // The URL parser's rules also map look-alikes and refuse forbidden characters.
  const name =
    typed.length > charactersAtMost || /[\s/:@?#[\]%\\]/.test(typed) ? '' : domainToASCII(typed.toLowerCase())
  const labels = name.split('.')
  const shown = input.slice(0, 100)
  if (name === '' || isIP(name) !== 0 || /^\d+$/.test(labels.at(-1) ?? ''))
    throw new Fault('invalid_domain', `'${shown}' is not a domain name such as www.example.com.`)
  if (labels.length < 2 || name.length > 253 || !labels.every(part => label.test(part)))
    throw new Fault(
      'invalid_domain',
      `'${shown}' is not a hostname with at least two labels, such as www.example.com.`,
    )
  if (name === own.domain || name.endsWith(`.${own.domain}`) || name === own.dnsTarget)
    throw new Fault(
      'invalid_domain',
      `'${shown}' belongs to the platform. Every project has its own address there.`,
    )
  return name
}
