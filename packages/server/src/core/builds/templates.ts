// The templates that a project can begin with, and the repository that is made from one.
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Repo, Template } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { firstPush, hasMoved } from '../../lib/git/first-push.ts'
import { programFile } from '../../program-files.ts'
import { findProjectRepo, markBehind } from '../../store/builds/repositories.ts'
import type { Caller } from '../base/caller.ts'
import type { BuildParts, Platform } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { connectRepo } from './connect.ts'
import type { HostParts } from './git-hosts/connect.ts'
import { whyPushIsRefused } from './push-rules.ts'
import { catchUp } from './pushes.ts'
import { openRepository } from './repositories.ts'

/** The folders of `templates/`, in the order that lists show. */
export const templates: readonly Template[] = [
  { name: 'html', title: 'Plain HTML', summary: 'Two pages and a style sheet. No build.' },
  { name: 'form', title: 'Contact form', summary: 'A page whose form the platform receives. No build.' },
  { name: 'vite-react', title: 'Vite and React', summary: 'A single-page app.' },
  { name: 'astro', title: 'Astro', summary: 'A static site with a layout.' },
  { name: 'eleventy', title: 'Eleventy', summary: 'A blog with posts in Markdown.' },
  { name: 'nextjs', title: 'Next.js', summary: 'React that is rendered on the server.' },
  { name: 'sveltekit', title: 'SvelteKit', summary: 'Svelte that is rendered on the server.' },
  { name: 'hono', title: 'Hono', summary: 'A small API with Node.js.' },
]

const branch = 'main'

/** npm leaves files called `.gitignore` out of a package, so a template has its file under another name. */
const shippedAs: Record<string, string> = { gitignore: '.gitignore' }

/** The files of a template by path. */
export function filesOfTemplate(name: string): Map<string, Buffer> {
  if (!templates.some(template => template.name === name))
    throw new Fault(
      'not_found',
      `There is no template '${name}'. There are: ${templates.map(template => template.name).join(', ')}.`,
    )
  const root = new URL(`${programFile('../templates/').href}${name}/`)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const top = fileURLToPath(root)
  const paths = files.map(entry => `${entry.parentPath}/${entry.name}`.slice(top.length).replace(/^\//, ''))
  return new Map(paths.sort().map(path => [shippedAs[path] ?? path, readFileSync(new URL(path, root))]))
}

type Parts = BuildParts & HostParts & Pick<Platform, 'domain' | 'hasBuiltinForge' | 'repositoryBytes'>

/** Makes a repository of the project's name with the files of the template, and connects it. That queues the first build. */
export async function startFromTemplate(
  platform: Parts,
  caller: Caller,
  project: ProjectScope & { name: string },
  { owner, template }: { owner: string; template: string },
): Promise<Repo> {
  const files = filesOfTemplate(template)
  if (!platform.hasBuiltinForge)
    throw new Fault(
      'invalid_request',
      `This platform hosts no repositories (SVCD_FORGE). Write the files here, and deploy them: svc init --template ${template}`,
    )
  if (await findProjectRepo(platform.store.db, project.id))
    throw new Fault('repository_in_use', 'The project builds from a repository already. Disconnect it first.')
  const repo = `${owner}/${project.name}`
  const repository = await openRepository(platform, caller, { owner, name: project.name }, { create: true })
  if (!repository) throw new Fault('not_found', `You cannot use the repository '${repo}'.`)
  if ((await platform.repos.heads(repository.id)).size > 0)
    throw new Fault(
      'name_taken',
      `The repository ${repo} exists already. Connect it: svc git connect ${repo}`,
    )
  await pushFiles(platform, caller, repository.id, files)
  return await connectRepo(platform, caller, project, { repo, forge: 'builtin', branch })
}

/** The way of every push, with its checks, so that each node gets it. */
async function pushFiles(
  platform: Parts,
  { account }: Caller,
  id: string,
  files: Map<string, Buffer>,
): Promise<void> {
  const author = { name: account.login, email: `${account.login}@users.${platform.domain}` }
  const at = platform.clock.now()
  const push = firstPush({ branch, message: 'Start from a template', author, at, files })
  const body = await platform.repos.keep(chunksOf(push), push.length)
  let report = ''
  try {
    const judge = async (incoming: Parameters<typeof whyPushIsRefused>[2]) => {
      const why = await whyPushIsRefused(platform, id, incoming)
      if (why === undefined) await markBehind(platform.store.db, id, account.id)
      return why
    }
    const signal = AbortSignal.timeout(pushMs)
    const request = { account: account.id, protocol: undefined, body, signal, judge }
    await platform.repos.serve(id, 'receive-pack', request, async output => {
      report = await text(output)
    })
  } finally {
    await body.remove()
  }
  if (!hasMoved(report, branch))
    throw new Fault('unavailable', 'The files of the template could not be stored. Try again.')
  await catchUp(platform, id)
}

/** Far longer than the few files of a template take. */
const pushMs = 60_000

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
