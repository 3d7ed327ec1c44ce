// Where production is served: the primary domain first, then other domains, then the URL that the platform gave.
import type { Domain, ProjectDetail } from '@svc/contract'
import { Link } from 'wouter'
import { bareUrl, formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { urlOf, useCertificate } from './domains.ts'
import styles from './site-urls.module.css'

/** The others are on the page of the domains. */
const domainsAtMost = 4

export function SiteUrls({ project: { name, url, domains } }: { project: ProjectDetail }) {
  const own = domains
    .filter(({ branch, redirect_to }) => branch === null && redirect_to === null)
    .sort((one, other) => Number(other.primary) - Number(one.primary))
  return (
    <span className={styles.urls}>
      {own.slice(0, domainsAtMost).map(domain => (
        <DomainUrl key={domain.domain} project={name} domain={domain} />
      ))}
      {own.length > domainsAtMost && (
        <Link href={href('/projects/:name/domains', { name })}>
          {formatCount(own.length - domainsAtMost, 'more domain')}
        </Link>
      )}
      <SiteUrl url={url} />
    </span>
  )
}

const SiteUrl = ({ url }: { url: string }) => (
  <a href={url} target="_blank" rel="noreferrer">
    {bareUrl(url)}
  </a>
)

const DomainUrl = ({ project, domain }: { project: string; domain: Domain }) =>
  domain.tls_ready ? <SiteUrl url={urlOf(domain)} /> : <LookedUp project={project} domain={domain} />

/** Without a certificate nobody knows whether the domain leads here. Its DNS records tell. */
function LookedUp({ project, domain }: { project: string; domain: Domain }) {
  const { data: certificate } = useCertificate(project, domain.domain)
  const leadsHere = certificate?.valid || (certificate?.dns.points_here && domain.verified !== false)
  if (leadsHere) return <SiteUrl url={urlOf(domain)} />
  return (
    <span className={styles.waiting}>
      {domain.domain}
      {certificate && <Link href={href('/projects/:name/domains', { name: project })}>Set up its DNS</Link>}
    </span>
  )
}
