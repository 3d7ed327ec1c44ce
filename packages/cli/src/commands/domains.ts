// Custom domains of a project: list, attach, retarget, detach.
import type { Run } from '../command.ts'
import { requireProject } from '../link.ts'
import { bold, clean, count, cyan, dim, green, minute, print, printJson, printTable } from '../output.ts'
import { connect } from '../session.ts'

export const listDomains: Run = async ({ options }) => {
  const name = requireProject(options)
  const project = await connect()('GET /projects/:name', { params: { name } })
  if (options.json) return printJson(project)
  if (project.domains.length === 0) return print("No domains yet. 'svc domains add <domain>' attaches one.")
  printTable(
    project.domains.map(({ domain, branch, tls_ready }) => [
      bold(domain),
      tls_ready ? 'certificate ready' : 'no certificate yet',
      dim(branch ?? 'production'),
    ]),
  )
}

export const addDomain: Run = async ({ args: [domain = ''], options }) => {
  const name = requireProject(options)
  const branch = options.branch === 'production' ? undefined : options.branch
  const added = await connect()('POST /projects/:name/domains', {
    params: { name },
    body: { domain, branch },
  })
  print(`Attached ${bold(added.domain)}, which shows ${shown(added.branch)}.`)
  print(`Create this DNS record: ${cyan(`${added.domain} CNAME ${added.dns_target}`)}`)
  tellBuild(added.build_id)
}

export const retargetDomain: Run = async ({ args: [domain = '', branch = ''], options }) => {
  const name = requireProject(options)
  const target = branch === 'production' ? null : branch
  const now = await connect()('PUT /projects/:name/domains/:domain', {
    params: { name, domain },
    body: { branch: target },
  })
  print(`${bold(now.domain)} shows ${shown(now.branch)}.`)
  tellBuild(now.build_id)
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
  if (!found.reachable) {
    print(`${bold(found.domain)} cannot be reached on port 443: ${clean(found.error ?? '')}.`)
    return print(`Once its DNS points here, run 'svc domains add ${found.domain}' again.`)
  }
  printTable([
    ['status', found.valid ? green('valid') : `not valid: ${clean(found.error ?? '')}`],
    ['issuer', clean(found.issuer ?? '')],
    ['subject', clean(found.subject ?? '')],
    ['expires', `${minute(found.valid_to ?? '')} (${count(found.days_remaining ?? 0, 'day')} remaining)`],
  ])
}

const shown = (branch: string | null): string => (branch === null ? 'production' : `the branch ${branch}`)

function tellBuild(id: string | null): void {
  if (id !== null) print(`Queued the first build: ${id}`)
}
