// Settings, variables and domains of a site at Netlify.
import { isInjected } from '@svc/contract/dotenv'
import { environment } from '../../environment.ts'
import type { Imported, Scope } from '../imported.ts'
import { PlatformApi } from '../platform-api.ts'
import { type Fields, fieldsOf, listOf, textOf, textsOf } from '../untrusted.ts'
import { folderOf } from './config.ts'

export async function readNetlifyApi(siteId: string, token: string, imported: Imported): Promise<void> {
  const api = new PlatformApi({
    platform: 'Netlify',
    baseUrl: environment.netlifyApiUrl(),
    token,
    missing:
      "The site of .netlify/state.json does not exist, or the token cannot see it. Run 'netlify link' again.",
  })
  const site = fieldsOf(await api.get(`/sites/${encodeURIComponent(siteId)}`))
  readSite(site, imported)
  const account = textOf(site.account_id) ?? textOf(site.account_slug)
  if (account === undefined) return
  const variables = await api.get(`/accounts/${encodeURIComponent(account)}/env`, { site_id: siteId })
  for (const item of listOf(variables)) readVariable(fieldsOf(item), imported)
}

function readSite(site: Fields, imported: Imported): void {
  const { build } = imported
  const settings = fieldsOf(site.build_settings)
  build.build_cmd = textOf(settings.cmd) ?? build.build_cmd
  build.root_dir = folderOf(settings.base) ?? build.root_dir
  build.output_dir = folderOf(settings.dir) ?? build.output_dir
  imported.branch = textOf(settings.repo_branch) ?? imported.branch
  if (settings.provider === 'github') imported.repository = textOf(settings.repo_path) ?? imported.repository
  for (const domain of [site.custom_domain, ...listOf(site.domain_aliases)])
    if (typeof domain === 'string' && domain !== '' && !domain.endsWith('.netlify.app'))
      imported.domains.push(domain)
  if (site.password || site.has_password)
    imported.findings.warn(
      'Netlify',
      "The site is protected by a password at Netlify. It is public here until you run 'svc password set'.",
    )
  if (
    fieldsOf(site.processing_settings).html !== undefined &&
    fieldsOf(fieldsOf(site.processing_settings).html).pretty_urls === true
  )
    imported.findings.note('Netlify', 'Pretty URLs: a.html is shown at /a here, too.')
}

/** Functions and the runtime of frameworks are one thing here. */
function scopeOf(scopes: readonly string[]): Scope {
  const isBuild = scopes.includes('builds')
  const isRuntime = scopes.includes('functions') || scopes.includes('runtime')
  return isBuild === isRuntime ? 'both' : isBuild ? 'build' : 'runtime'
}

function readVariable({ key: written, scopes, values, is_secret }: Fields, imported: Imported): void {
  const key = textOf(written)
  if (key === undefined || isInjected(key)) return
  const found = ['production', 'all'].map(context =>
    listOf(values)
      .map(fieldsOf)
      .find(value => value.context === context),
  )
  const value = found.find(Boolean)
  if (is_secret === true) imported.secrets.add(key)
  else if (value !== undefined && typeof value.value === 'string')
    imported.setVariable({ key, value: value.value, scope: scopeOf(textsOf(scopes)), source: 'Netlify' })
  else imported.findings.note('Netlify', `${key}: only for previews or development there, and left out.`)
}
