// Chooses what a deployment answers to a URL: a file in the best encoding, a redirect, or a page of the platform.
import { assetsAt } from '../core/apps/assets.ts'
import { isCompressible } from '../core/deployments/archive/compressible.ts'
import { type Coding, variantPath } from '../core/deployments/archive/variants.ts'
import type { Redirect, Redirects } from '../core/deployments/rules/redirects.ts'
import type { RequestedUrl } from '../core/deployments/rules/source.ts'
import type { SiteDeployment } from '../core/projects/sites.ts'
import type { PackFile } from '../ports/packs/pack-index.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import { contentType } from './content-types.ts'
import type { Preference } from './encodings.ts'
import type { PageName } from './pages.ts'
import { isServed, resolve } from './resolve.ts'
import { isPlatformPath, readTarget, type Target } from './targets.ts'

export interface ChosenFile {
  to: 'file'
  status: 200 | 404
  file: PackFile
  /** The entry that is sent: `file` itself or a compressed variant of it. `source` is the pack that holds this entry. */
  stored: PackFile
  source: PackReader
  coding: Coding | undefined
  /** Whether the client refuses `stored`, because it is not compressed. A variant has to be made for it. */
  isRefused?: boolean
  /** Whether the URL contains a hash of the content, so that the content at this URL never changes. */
  immutable?: boolean
  /** Whether it stands in for a file that is not there: a page for 404, or what a rule shows at paths without a file. */
  isFallback?: boolean
}

export interface ChosenRedirect {
  to: 'redirect'
  status: number
  location: string
  /** Whether a rule of the site demands it. Else it leads to the same page, with or without a slash at the end. */
  byRule: boolean
}

type Chosen = ChosenFile | ChosenRedirect | { to: 'page'; page: PageName; isFallback?: boolean }

export interface DeploymentPacks {
  files: PackReader
  variants: PackReader | undefined
}

export type Answer = Chosen | { to: 'app' }

export function chooseAnswer(
  { kind, framework }: Pick<SiteDeployment, 'kind' | 'framework'>,
  target: (Target & RequestedUrl) | undefined,
  preference: Preference,
  packs: DeploymentPacks,
  redirects: Redirects | undefined,
): Answer {
  return kind === 'server'
    ? chooseAsset(target, preference, packs, { framework, redirects })
    : choose(target, preference, packs, redirects)
}

/**
 * Whether an earlier deployment may answer instead: the current one has no file at the path, and no rule insists. A
 * single-page app's rule shows HTML at every path, which breaks a tab that asks for an earlier script.
 */
export function mayComeFromEarlier(chosen: Answer): boolean {
  if (chosen.to === 'app') return true
  if (chosen.to === 'redirect' || !chosen.isFallback) return false
  if (chosen.to === 'page') return chosen.page === 'missing'
  return chosen.status === 404 || contentType(chosen.file.path).startsWith('text/html')
}

/**
 * Chooses what a static site answers. A file that exists wins over a rule, unless the rule is forced (`!`). No rule applies below
 * `/_svc/`.
 */
function choose(
  target: (Target & RequestedUrl) | undefined,
  preference: Preference,
  packs: DeploymentPacks,
  redirects: Redirects | undefined,
): Chosen {
  if (target === undefined) return { to: 'page', page: 'badRequest' }
  const rule = isPlatformPath(target) ? undefined : redirects?.match(target)
  if (rule?.force) return followRule(rule, preference, packs)
  const resolution = resolve(target, name => packs.files.find(name))
  if (resolution.to === 'redirect') return { ...resolution, status: 308, byRule: false }
  if (resolution.to === 'file') return chooseEncoding(resolution.file, 200, preference, packs)
  return asFallback(rule ? followRule(rule, preference, packs) : notFound(preference, packs))
}

/**
 * Chooses what answers a request to a server app: a public asset of its framework, a redirect, or the app itself. All other
 * files of the deployment are the program and are never sent.
 */
export function chooseAsset(
  target: (Target & RequestedUrl) | undefined,
  preference: Preference,
  packs: DeploymentPacks,
  { framework, redirects }: { framework: string | null; redirects: Redirects | undefined },
): Chosen | { to: 'app' } {
  if (target === undefined) return { to: 'app' }
  const rule = redirects?.match(target)
  if (rule?.force) return followRule(rule, preference, packs)
  const asset = findAsset(target.path, framework, packs.files)
  if (asset !== undefined) {
    const chosen = chooseEncoding(asset.file, 200, preference, packs)
    return chosen.to === 'file' ? { ...chosen, immutable: asset.immutable } : chosen
  }
  return rule ? asFallback(followRule(rule, preference, packs)) : { to: 'app' }
}

const asFallback = (chosen: Chosen): Chosen =>
  chosen.to === 'redirect' ? chosen : { ...chosen, isFallback: true }

/**
 * Whether `chooseAsset` would choose the app. The check needs only the index of the pack (`files`). `host` is called only if the
 * deployment has redirects.
 */
export function isForApp(
  target: Target | undefined,
  host: () => string,
  files: Pick<PackReader, 'find'>,
  { framework, redirects }: { framework: string | null; redirects: Redirects | undefined },
): boolean {
  if (target === undefined) return true
  if (redirects?.match({ ...target, host: host() }) !== undefined) return false
  return findAsset(target.path, framework, files) === undefined
}

function findAsset(path: string, framework: string | null, files: Pick<PackReader, 'find'>) {
  for (const asset of isServed(path.slice(1)) ? assetsAt(framework, path) : []) {
    const file = files.find(asset.path)
    if (file !== undefined) return { file, immutable: asset.immutable }
  }
  return undefined
}

/** Chooses what a matching rule demands. Rules do not apply to the target of a rewrite, so a rewrite cannot loop. */
function followRule(rule: Redirect, preference: Preference, packs: DeploymentPacks): Chosen {
  if (rule.status !== 200 && rule.status !== 404)
    return { to: 'redirect', status: rule.status, location: rule.to, byRule: true }
  const target = readTarget(rule.to)
  const find = (name: string) => packs.files.find(name)
  for (const path of target === undefined ? [] : [target.path, `${target.path}/`]) {
    const resolution = resolve({ path, written: path, query: '' }, find)
    if (resolution.to === 'file') return chooseEncoding(resolution.file, rule.status, preference, packs)
  }
  return notFound(preference, packs)
}

function notFound(preference: Preference, packs: DeploymentPacks): Chosen {
  const ownPage = packs.files.find('404.html')
  return ownPage === undefined
    ? { to: 'page', page: 'missing' }
    : chooseEncoding(ownPage, 404, preference, packs)
}

function chooseEncoding(
  file: PackFile,
  status: 200 | 404,
  { codings, takesIdentity }: Preference,
  packs: DeploymentPacks,
): Chosen {
  const { files, variants } = packs
  if (variants !== undefined) {
    for (const coding of codings) {
      const stored = variants.find(variantPath(file.path, coding))
      if (stored !== undefined) return { to: 'file', status, file, stored, source: variants, coding }
    }
  }
  // The site's 404 page is sent even to clients that refuse uncompressed content.
  const isRefused = !takesIdentity && status === 200
  const chosen = { to: 'file', status, file, stored: file, source: files, coding: undefined } as const
  if (!isRefused) return chosen
  const mayBeCompressed = variants === undefined && codings.length > 0 && isCompressible(file)
  return mayBeCompressed ? { ...chosen, isRefused } : { to: 'page', page: 'notAcceptable' }
}
