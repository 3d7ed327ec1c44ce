// Custom domains of a project: list, attach, retarget, detach, and how their certificates are doing.
import type { Certificate, Domain } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, count, cyan, dim, green, minute, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const listDomains: Run = async ({ options }) => {
  const name = requireProject(options)
  const project = await connect()('GET /projects/:name', { params: { name } })
  if (options.json) return printJson(project)
  const domains = required(project, 'domains')
  if (domains.length === 0) return print("No domains yet. 'svc domains add <domain>' attaches one.")
  printTable(
    domains.map(({ domain, branch, tls_ready, verified, redirect_to, primary }) => [
      bold(domain),
      verified === false ? 'waiting for proof' : certificateWords(tls_ready),
      dim(
        redirect_to
          ? `redirects to ${clean(redirect_to)}`
          : `${branch ?? 'production'}${primary ? ', primary' : ''}`,
      ),
    ]),
  )
  for (const { domain, proof } of domains) if (proof) tellProof(domain ?? '', proof)
}

const certificateWords = (ready: boolean | null | undefined): string =>
  typeof ready === 'boolean' ? (ready ? 'certificate ready' : 'no certificate') : ''

export const addDomain: Run = async ({ args: [domain = ''], options }) => {
  const name = requireProject(options)
  const branch = options.branch === 'production' ? undefined : options.branch
  const added = await connect()('POST /projects/:name/domains', {
    params: { name },
    body: { domain, branch },
  })
  print(`Attached ${bold(added.domain ?? domain)}, which shows ${shown(added.branch)}.`)
  if (added.tls_ready) print('Its certificate is ready.')
  else if (added.dns_target) tellRecord(added.domain ?? domain, added.dns_target)
  if (added.proof) tellProof(added.domain ?? domain, added.proof)
  tellBuild(added.build_id)
}

export const retargetDomain: Run = async ({ args: [domain = '', branch = ''], options }) => {
  const name = requireProject(options)
  const target = branch === 'production' ? null : branch
  const now = await connect()('PUT /projects/:name/domains/:domain', {
    params: { name, domain },
    body: { branch: target },
  })
  // If an older platform leaves out the branch, show the one that was asked for.
  print(`${bold(domain)} shows ${shown(now.branch === undefined ? target : now.branch)}.`)
  tellBuild(now.build_id)
}

export const redirectDomain: Run = async ({ args: [domain = '', other = ''], options }) => {
  const name = requireProject(options)
  const redirect_to = other === 'off' ? null : other
  await connect()('PUT /projects/:name/domains/:domain', { params: { name, domain }, body: { redirect_to } })
  print(`${bold(domain)} ${redirect_to === null ? 'shows the site' : `redirects to ${bold(other)}`}.`)
}

export const makePrimary: Run = async ({ args: [domain = ''], options }) => {
  const name = requireProject(options)
  await connect()('PUT /projects/:name/domains/:domain', {
    params: { name, domain },
    body: { primary: true },
  })
  print(`${bold(domain)} is the primary domain.`)
}

export const removeDomain: Run = async ({ args: [domain = ''], options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/domains/:domain', { params: { name, domain } })
  print(`Detached ${bold(domain)}.`)
}

export const showCertificate: Run = async ({ args: [domain = ''], options }) => {
  const name = requireProject(options)
  const path = 'GET /projects/:name/domains/:domain/certificate'
  const found = await connect()(path, { params: { name, domain } })
  if (options.json) return printJson(found)
  if (found.reachable)
    printTable([
      ['status', found.valid ? green('valid') : `not valid${reason(found.error)}`],
      ['issuer', clean(found.issuer)],
      ['subject', clean(found.subject)],
      ['expires', expiry(found)],
    ])
  else {
    print(`${bold(domain)} cannot be reached on port 443${reason(found.error)}.`)
    print(`Once its DNS points here, run 'svc domains add ${domain}' again.`)
  }
  if (!found.valid) printTable(diagnosis(found))
}

const reason = (error: string | null | undefined): string => (error ? `: ${clean(error)}` : '')

/** Says what the domain still needs for its certificate. */
function diagnosis({ dns, issuance }: Sparse<Certificate>): string[][] {
  const { cname, a, aaaa } = dns?.found ?? {}
  const addresses = [...(cname ?? []).map(name => `CNAME ${name}`), ...(a ?? []), ...(aaaa ?? [])].join(', ')
  return [
    ...(dns?.points_here ? [] : (dns?.create ?? []).map(toCreate)),
    ['found', dns?.found ? clean(addresses) || 'nothing in the DNS' : ''],
    ['waiting', clean(issuance?.waiting_for)],
    ['error', clean(issuance?.last_error)],
    ['next look', minute(issuance?.next_attempt_at)],
  ].filter(([, value]) => value !== '')
}

type DnsRecord = Sparse<Certificate['dns']['create'][number]>

/** Writes a DNS record as a line. The first record is the best. The others are the alternative to it. */
const toCreate = ({ name, type, value }: DnsRecord, index: number): string[] => [
  ['create', 'or all of'][index] ?? '',
  cyan(`${name} ${type} ${value}`),
]

/**
 * Shows the DNS record to create. A registered domain cannot be a CNAME, and only the platform knows which names are
 * registered.
 */
function tellRecord(domain: string, dns_target: string): void {
  const isRegistered = domain.split('.').length === 2
  const mayBe = isRegistered || /^[^.]+\.[a-z]{2,3}\.[a-z]{2}$/.test(domain)
  const record = cyan(`${domain} ${isRegistered ? 'ALIAS' : 'CNAME'} ${dns_target}`)
  print(`Create this DNS record: ${record}${isRegistered ? ' (ANAME with some providers)' : ''}`)
  if (mayBe)
    print(`Where your DNS provider refuses it, 'svc domains cert ${domain}' shows what else will do.`)
}

function expiry({ valid_to, days_remaining: days }: Sparse<Certificate>): string {
  return [minute(valid_to), typeof days === 'number' ? `(${left(days)})` : ''].filter(Boolean).join(' ')
}

/** Shows the record that proves the domain. A domain that points to the platform needs no such record. */
function tellProof(domain: string, { name, type, value }: ProofRecord): void {
  print(`${bold(domain)} is not served before it points here, or this DNS record proves that it is yours:`)
  print(`  ${cyan(`${name} ${type} ${value}`)}`)
}

type ProofRecord = Sparse<NonNullable<Domain['proof']>>

const left = (days: number): string =>
  days < 0 ? `expired ${count(-days, 'day')} ago` : `${count(days, 'day')} remaining`

const shown = (branch: string | null | undefined): string => (branch ? `the branch ${branch}` : 'production')

function tellBuild(id: string | null | undefined): void {
  if (id) print(`Queued the first build: ${id}`)
}
