// What a deployment answers to a target: a file in the best encoding there is, a redirect, or a page of the platform.
import { assetsAt } from '../core/apps/assets.ts'
import { type Coding, variantPath } from '../core/deployments/archive/variants.ts'
import type { Redirect, Redirects } from '../core/deployments/rules/redirects.ts'
import type { RequestedUrl } from '../core/deployments/rules/source.ts'
import type { PackFile } from '../ports/packs/pack-index.ts'
import type { PackReader } from '../ports/packs/pack-reader.ts'
import type { Preference } from './encodings.ts'
import type { PageName } from './pages.ts'
import { isServed, resolve } from './resolve.ts'
import { readTarget, type Target } from './targets.ts'

export interface ChosenFile {
  to: 'file'
  status: 200 | 404
  file: PackFile
  /** The bytes that are sent, the file's own or a variant's, and the pack that holds them. */
  stored: PackFile
  source: PackReader
  coding: Coding | undefined
  /** A framework's build named it by its content. */
  immutable?: boolean
}

export type Chosen =
  | ChosenFile
  | { to: 'redirect'; status: number; location: string }
  | { to: 'page'; page: PageName }

export interface DeploymentPacks {
  files: PackReader
  variants: PackReader | undefined
}

/** A file that exists wins over a rule, unless the rule insists. */
export function choose(
  target: (Target & RequestedUrl) | undefined,
  preference: Preference,
  packs: DeploymentPacks,
  redirects: Redirects | undefined,
): Chosen {
  if (target === undefined) return { to: 'page', page: 'badRequest' }
  const rule = redirects?.match(target)
  if (rule?.force) return followRule(rule, preference, packs)
  const resolution = resolve(target, name => packs.files.find(name))
  if (resolution.to === 'redirect') return { ...resolution, status: 308 }
  if (resolution.to === 'file') return chooseEncoding(resolution.file, 200, preference, packs)
  return rule ? followRule(rule, preference, packs) : notFound(preference, packs)
}

/**
 * Of a server app: a file that its framework means for visitors, a redirect, or whatever the app says. Its program is
 * not theirs.
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
  return rule ? followRule(rule, preference, packs) : { to: 'app' }
}

/** Whether `chooseAsset` leaves the request to the app. It needs nothing but the index of the files. */
export function isForApp(
  target: Target | undefined,
  host: string,
  files: Pick<PackReader, 'find'>,
  { framework, redirects }: { framework: string | null; redirects: Redirects | undefined },
): boolean {
  if (target === undefined) return true
  if (redirects?.match({ ...target, host }) !== undefined) return false
  return findAsset(target.path, framework, files) === undefined
}

function findAsset(path: string, framework: string | null, files: Pick<PackReader, 'find'>) {
  for (const asset of isServed(path.slice(1)) ? assetsAt(framework, path) : []) {
    const file = files.find(asset.path)
    if (file !== undefined) return { file, immutable: asset.immutable }
  }
  return undefined
}

/** Rules are not applied to what a rewrite leads to, so that none can go round in circles. */
function followRule(rule: Redirect, preference: Preference, packs: DeploymentPacks): Chosen {
  if (rule.status !== 200 && rule.status !== 404)
    return { to: 'redirect', status: rule.status, location: rule.to }
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
  // The page that says that something is missing is sent to everybody.
  if (!takesIdentity && status === 200) return { to: 'page', page: 'notAcceptable' }
  return { to: 'file', status, file, stored: file, source: files, coding: undefined }
}
