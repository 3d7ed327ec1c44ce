// Reads `netlify.toml` into what is imported.
import type { Imported } from '../imported.ts'
import type { ProjectFiles } from '../project-files.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../untrusted.ts'
import { checkNetlifyFunctions } from './functions.ts'
import { netlifyHeaders, netlifyRedirects } from './rules.ts'

const file = 'netlify.toml'

/** Plugins whose work is done here without them. */
const needless = [
  '@netlify/plugin-nextjs',
  '@netlify/plugin-gatsby',
  'netlify-plugin-cache',
  '@netlify/plugin-sitemap',
]

/** Variables of `[build.environment]` that only choose the tools of Netlify's build image. */
const toolVersions =
  /^(?:NODE_VERSION|NPM_VERSION|NPM_FLAGS|YARN_VERSION|YARN_FLAGS|PNPM_FLAGS|HUGO_VERSION|RUBY_VERSION|PYTHON_VERSION|PHP_VERSION|GO_VERSION|BUN_VERSION|SECRETS_SCAN_\w+)$/

const known = [
  'build',
  'context',
  'redirects',
  'headers',
  'functions',
  'edge_functions',
  'plugins',
  'dev',
  'template',
  'images',
  'integrations',
  'extensions',
  'settings',
  'graph',
]

export function readNetlifyConfig(config: Fields, files: ProjectFiles, imported: Imported): void {
  const { findings } = imported
  readBuild(config, imported)
  checkNetlifyFunctions(files, imported.build.root_dir ?? '', config, findings)
  imported.redirects.push(...netlifyRedirects(config.redirects, findings))
  imported.headers.push(...netlifyHeaders(config.headers, findings))
  readContexts(fieldsOf(config.context), imported)
  for (const item of listOf(config.plugins)) {
    const name = textOf(fieldsOf(item).package) ?? '(without a name)'
    if (needless.includes(name)) findings.note(file, `plugins: ${name} is not needed here.`)
    else findings.warn(file, `plugins: ${name} does not run here. Do its work in the build command.`)
  }
  if (config.images !== undefined)
    findings.warn(file, 'images: /.netlify/images does not exist here. Use images in their final size.')
  for (const key of Object.keys(config).filter(key => !known.includes(key)))
    findings.warn(file, `'${key}' is not known to 'svc import' and is left out.`)
}

function readBuild(config: Fields, imported: Imported): void {
  const { build, findings } = imported
  // The settings of the production context win over those of [build].
  const settings = { ...fieldsOf(config.build), ...definedOf(fieldsOf(fieldsOf(config.context).production)) }
  build.build_cmd = textOf(settings.command) ?? build.build_cmd
  build.root_dir = folderOf(settings.base) ?? build.root_dir
  build.output_dir = folderOf(settings.publish) ?? build.output_dir
  if (textOf(settings.ignore))
    findings.warn(
      file,
      'build.ignore does not run here. A commit with [skip svc] in its message is not built, and with a root folder only changes in it are.',
    )
  for (const environment of [
    fieldsOf(config.build).environment,
    fieldsOf(fieldsOf(config.context).production).environment,
  ])
    readEnvironment(fieldsOf(environment), imported)
}

const definedOf = ({ environment: _, ...settings }: Fields): Fields => settings

function readEnvironment(environment: Fields, imported: Imported): void {
  const tools: string[] = []
  for (const [key, value] of Object.entries(environment)) {
    if (toolVersions.test(key)) tools.push(`${key}=${String(value)}`)
    else imported.setVariable({ key, value: String(value), scope: 'build', source: file })
  }
  if (tools.length > 0)
    imported.findings.note(
      file,
      `${tools.join(', ')}: left out, since it chooses tools of Netlify's build image. Builds here run with the platform's own Node.js.`,
    )
}

/** There is one set of commands and variables for all branches. */
function readContexts(contexts: Fields, { findings }: Imported): void {
  for (const [name, context] of Object.entries(contexts)) {
    if (name === 'production' || name === 'dev') continue
    const { environment, ...settings } = fieldsOf(context)
    const parts = [
      ...Object.keys(settings),
      ...Object.keys(fieldsOf(environment)).map(key => `environment.${key}`),
    ]
    if (parts.length > 0)
      findings.warn(
        file,
        `context.${name}: previews are built like production here, so ${parts.join(', ')} ${parts.length === 1 ? 'is' : 'are'} left out.`,
      )
  }
}

/** Without the slashes and `./` around it; undefined for the directory itself. */
export function folderOf(value: unknown): string | undefined {
  const parts = (textOf(value) ?? '').split('/').filter(part => part !== '' && part !== '.')
  return parts.length === 0 ? undefined : parts.join('/')
}
