// Connects a project to a repository, and disconnects it.
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { forgeOf, type OptionValues } from '../../options.ts'
import { bold, clean, cyan, print, printJson, warn } from '../../output.ts'
import { connect } from '../../session.ts'
import { shellWord } from '../../shell-word.ts'
import { followBuild } from './follow.ts'
import { withAccess } from './github-access.ts'
import { withHostToken } from './host-token.ts'
import { addRemote, partOfRepository, reachableUrl } from './remote.ts'

export const connectRepo: Run = async ({ args: [repo = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const settings = {
    repo,
    forge: forgeOf(options.forge),
    branch: options.branch,
    build_cmd: options['build-cmd'],
    install_cmd: options['install-cmd'],
    output_dir: options.output,
    root_dir: options.root,
    previews: options['no-previews'] ? false : undefined,
  }
  const connected = await withHostToken(repo, options.token, access_token =>
    withAccess(call, repo, settings.forge, () =>
      call('POST /projects/:name/repo', { params: { name }, body: { ...settings, access_token } }),
    ),
  )
  if (options.json) return printJson(connected)
  const branch = clean(connected.branch ?? options.branch ?? 'main')
  const isPublic = connected.forge === 'public'
  print(`Connected ${bold(clean(connected.repo ?? repo))}${isPublic ? '' : `: pushes to ${branch} go live`}.`)
  if (isPublic) print(howToBuildPushes(new URL(repo).host))
  if (connected.clone_url)
    await showHowToPush(reachableUrl(clean(connected.clone_url)), branch, { repo, options })
  if (connected.build_id) await followBuild(call, name, connected.build_id)
}

const howToBuildPushes = (host: string): string =>
  `The platform is not told of pushes to it. To build each push, make a deploy hook, and enter its URL as a webhook at ${clean(host)}:
  ${cyan(`svc git hooks add ${shellWord(host)}`)}
To build its newest commit now and then: svc git build`

/** Adds the remote where this directory is the repository to push, and prints the commands. */
async function showHowToPush(
  url: string,
  branch: string,
  { repo, options }: { repo: string; options: OptionValues },
): Promise<void> {
  const part = options.project || options.root ? undefined : await partOfRepository(process.cwd())
  if (part) return warn(pushesMore(part, repo))
  // With --project the directory may hold something else.
  if (!options.project && (await addRemote(process.cwd(), url)))
    print('Added the remote svc to this git repository. git gets your token from svc. Push with:')
  else {
    print('Push to it, with a token as the password (svc token cli git):')
    print(`  ${cyan(`git remote add svc ${url}`)}`)
  }
  print(`  ${cyan(`git push svc ${branch}`)}`)
}

/** Somebody who pushes from a folder may not know that its repository is larger. */
function pushesMore({ top, folder }: { top: string; folder: string }, repo: string): string {
  const again = `svc git connect ${shellWord(repo)}`
  return `This folder is a part of the git repository ${clean(top)}, and a push would send all of it.
To give the folder a repository of its own: git init -b main && ${again}
To push that repository and build this folder of it: ${again} --root ${shellWord(clean(folder))}`
}

export const disconnectRepo: Run = async ({ options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/repo', { params: { name } })
  print('Disconnected. Pushes build nothing any more; deployments stay as they are.')
}
