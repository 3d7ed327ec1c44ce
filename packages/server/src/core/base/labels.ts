// The URLs of a project: maps deployments and branches to DNS labels and back.
import { createHash } from 'node:crypto'
import { namePattern } from '@svc/contract/limits'

const labelLength = 63
const separator = '--'
const digestLength = 6
/** Strangers choose the names of forks. They could try names until the six digits are those of somebody else's branch. */
const forkDigestLength = 12
const permanentPrefix = /^dep-[a-z0-9]{16}$/

/** The site that a label before the platform's domain identifies. */
export type SiteTarget =
  | { project: string; which: 'production' }
  | { project: string; which: 'deployment'; id: string }
  | { project: string; which: 'branch'; slug: string }
  /** A branch's deployment at a custom domain, which is a site of its own and no preview. */
  | { project: string; which: 'pinned'; id: string }

/** The parts of public URLs. `port` is only set if it is not the default port. */
export interface PublicAddress {
  scheme: 'http' | 'https'
  domain: string
  port: number | undefined
}

/**
 * The branch as a part of a label. If the slug does not represent the name exactly, or looks like a permanent URL, a hash of
 * the name is added, so that no two branches share a URL.
 */
export function branchSlug(branch: string, project: string): string {
  const plain = trimmed(branch.toLowerCase().replace(/[^a-z0-9]+/g, '-'))
  const room = labelLength - separator.length - project.length
  // Browsers refuse a label that begins with `xn--` and is not Punycode.
  const isValid = plain !== '' && plain !== 'xn'
  if (isValid && plain === branch && plain.length <= room && !plain.startsWith('dep-')) return plain
  const begin = isValid ? plain : trimmed(`b-${plain}`)
  return withDigest(trimmed(begin.slice(0, room - digestLengthOf(branch) - 1)), branch)
}

const withDigest = (slug: string, branch: string): string =>
  `${slug}-${createHash('sha256').update(branch).digest('hex').slice(0, digestLengthOf(branch))}`

/** Only the branch of a fork has a colon in its name. */
const digestLengthOf = (branch: string): number => (branch.includes(':') ? forkDigestLength : digestLength)

const trimmed = (text: string): string => text.replace(/^-|-$/g, '')

/**
 * The slug as it stands in the label. Certificate authorities refuse labels whose third and fourth characters are `--`, which
 * are reserved for encodings such as `xn--`. So a slug of two characters gets the hash of its branch.
 */
const slugInLabel = (slug: string): string => (slug.length === 2 ? withDigest(slug, slug) : slug)

/**
 * The slug that a label names. Earlier versions made slugs that were no part of a host name. Migration 042 renamed them, and
 * their URLs still work. So do those of branches with two characters, which had no hash.
 */
function slugOf(written: string): string {
  const slug = currentSlug(written)
  const first = slug.slice(0, 2)
  // Only one that is long enough is hashed, since this runs for each request of a preview.
  return slug.length === 3 + digestLength && slug === slugInLabel(first) ? first : slug
}

function currentSlug(slug: string): string {
  if (slug === 'xn') return branchSlug('xn', '')
  const short = trimmed(slug.replace(/-+/g, '-'))
  return slug.startsWith('--') && short.length === digestLength ? `b-${short}` : short
}

export function branchLabel(slug: string, project: string): string {
  return slugInLabel(slug) + separator + project
}

/** The permanent label of a deployment. */
export function deploymentLabel(id: string, project: string): string {
  return id.replace('_', '-') + separator + project
}

/** The one label of a site. Earlier labels of a branch lead to the same site. */
export function labelOf(target: SiteTarget, project = target.project): string {
  if (target.which === 'branch') return branchLabel(target.slug, project)
  return target.which === 'production' ? project : deploymentLabel(target.id, project)
}

export function siteUrl(address: PublicAddress, label: string): string {
  return originOf(address, `${label}.${address.domain}`)
}

export function originOf({ scheme, port }: PublicAddress, host: string): string {
  return `${scheme}://${host}${port === undefined ? '' : `:${port}`}`
}

/** Parses a label. A project name contains no `--`, so the last `--` is the separator. */
export function readLabel(label: string): SiteTarget | undefined {
  if (label.length > labelLength) return undefined
  const at = label.lastIndexOf(separator)
  const project = at < 0 ? label : label.slice(at + separator.length)
  if (!namePattern.test(project)) return undefined
  if (at < 0) return { project, which: 'production' }
  const prefix = label.slice(0, at)
  if (!/[a-z0-9]/.test(prefix)) return undefined
  if (permanentPrefix.test(prefix)) return { project, which: 'deployment', id: prefix.replace('-', '_') }
  return { project, which: 'branch', slug: slugOf(prefix) }
}
