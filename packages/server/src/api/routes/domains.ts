// Custom domains.

import type { BuildParts, DnsLookups, DomainProofs, Platform } from '../../core/base/platform.ts'
import { refreshCertificate } from '../../core/domains/certificates/refresh.ts'
import { certificateStatus } from '../../core/domains/certificates/status.ts'
import { attachDomain, changeDomain, detachDomain, ownDomain } from '../../core/domains/domains.ts'
import { type Handlers, WithStatus } from '../call.ts'

export const domainRoutes = (
  platform: BuildParts &
    DnsLookups &
    DomainProofs &
    Pick<Platform, 'domain' | 'issuing' | 'mailer' | 'tlsProbe' | 'urls'>,
) =>
  ({
    'POST /projects/:name/domains': async ({ caller, project, body }) => {
      const { isNew, domain } = await attachDomain(platform, caller, project, body)
      return new WithStatus(isNew ? 201 : 200, domain)
    },
    'PUT /projects/:name/domains/:domain': async ({ caller, project, params, body }) =>
      await changeDomain(platform, caller, project, params.domain, body),
    'DELETE /projects/:name/domains/:domain': async ({ caller, project, params }) => {
      await detachDomain(platform, caller, project, params.domain)
      return { ok: true }
    },
    'GET /projects/:name/domains/:domain/certificate': async ({ project, params }) => {
      const row = await ownDomain(platform, platform.store.db, project, params.domain)
      return await certificateStatus(platform, row, project)
    },
    'POST /projects/:name/domains/:domain/certificate/refresh': async ({ caller, project, params }) => ({
      ok: true,
      ...(await refreshCertificate(platform, caller, project, params.domain)),
    }),
  }) satisfies Partial<Handlers>
