// The custom domains of a project as the dashboard shows them, and the calls that change them.
import type { Certificate, Domain, ProjectDetail } from '@svc/contract'
import { useCallback } from 'react'
import { call } from '../../api.ts'
import { config } from '../../config.ts'
import { fewAtOnce } from '../../few-at-once.ts'
import { type Resource, useResource, writeResource } from '../../resource.ts'
import { detailKey } from '../projects/project/detail.ts'
import { useLooks } from './looks.ts'
import { isSettled } from './verdict.ts'

const certificateKey = (project: string, domain: string) => `certificate of ${domain} in ${project}`

/** Each look takes seconds if DNS is slow. Without HTTP/2 a browser has six connections, which the other calls need, too. */
const few = fewAtOnce(3)

const look = (name: string, domain: string): Promise<Certificate> =>
  few(() => call('GET /projects/:name/domains/:domain/certificate', { params: { name, domain } }))

/** Reads the certificate status again and again until it is settled. */
export function useCertificate(project: string, domain: string): Resource<Certificate> {
  const resource = useResource(certificateKey(project, domain), () => look(project, domain), {
    project,
    topics: ['domain'],
  })
  const { data, refresh } = resource
  useLooks(data !== undefined && !isSettled(data), refresh)
  return resource
}

function changeDomains(project: string, change: (domains: Domain[]) => Domain[]): void {
  writeResource<ProjectDetail>(detailKey(project), shown => ({ ...shown, domains: change(shown.domains) }))
}

export async function attach(name: string, domain: string, branch: string | undefined): Promise<string> {
  const { build_id: _, ...added } = await call('POST /projects/:name/domains', {
    params: { name },
    body: { domain, branch },
  })
  const row: Domain = {
    ...added,
    deployment_id: null,
    created_at: new Date().toISOString(),
    redirect_to: null,
    primary: false,
  }
  changeDomains(name, domains => [...domains.filter(other => other.domain !== row.domain), row].sort(byName))
  return row.domain
}

type DomainChange = Partial<Pick<Domain, 'branch' | 'redirect_to' | 'primary'>>

export async function changeDomain(name: string, domain: string, body: DomainChange): Promise<void> {
  await call('PUT /projects/:name/domains/:domain', { params: { name, domain }, body })
  await reloadDomains(name)
}

/** The branches of the project except the production branch. */
export const useBranches = (name: string): Resource<string[]> =>
  useResource(`preview branches of ${name}`, async () => {
    const { branches } = await call('GET /projects/:name/branches', { params: { name } })
    return branches.filter(({ production }) => !production).map(({ branch }) => branch)
  })

/** Where a browser reaches a domain. Without a certificate of the platform, it is reached like the platform itself. */
export function urlOf({ domain, tls_ready }: Pick<Domain, 'domain' | 'tls_ready'>): string {
  const { protocol, port } = new URL(config().api_url)
  return tls_ready ? `https://${domain}` : `${protocol}//${domain}${port && `:${port}`}`
}

export async function detach(name: string, domain: string): Promise<void> {
  await call('DELETE /projects/:name/domains/:domain', { params: { name, domain } })
  changeDomains(name, domains => domains.filter(row => row.domain !== domain))
}

export async function reloadDomains(name: string): Promise<void> {
  const { domains, primary_url } = await call('GET /projects/:name', { params: { name } })
  writeResource<ProjectDetail>(detailKey(name), shown => ({ ...shown, domains, primary_url }))
}

/** Reads the domains again and again while this one waits for proof. */
export function useProofLooks(project: string, { proof }: Domain): void {
  const look = useCallback(() => reloadDomains(project), [project])
  useLooks(proof != null, look)
}

/** Has the platform look at the domain now. */
export async function lookNow(name: string, domain: string): Promise<void> {
  await call('POST /projects/:name/domains/:domain/certificate/refresh', { params: { name, domain } })
}

const byName = (one: Domain, other: Domain): number => (one.domain < other.domain ? -1 : 1)
