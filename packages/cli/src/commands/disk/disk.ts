// The disk of a project: show, add or change, remove.
import { formatBytes, parseBytes } from '@svc/contract/bytes'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { bold, clean, dim, notice, print, printJson } from '../../output.ts'
import { confirmByName } from '../../prompt.ts'
import { connect, required } from '../../session.ts'

export const showDisk: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/disk', { params: { name } })
  if (options.json) return printJson(answer)
  const { disk, removed_until: until, previews } = answer
  if (!disk) {
    print("No disk. 'svc disk add' gives the server app one.")
    if (until)
      notice(
        `The files of the one that was removed are kept until ${until}: 'svc disk add' brings them back.`,
      )
    return
  }
  print(`${bold(disk.path ?? '')}  ${sizes(disk)}`)
  if (disk.is_shared) print('Two instances may have it at a time: no request waits at a deploy.')
  if (disk.preview_data === 'copy') print('New previews begin with its newest snapshot.')
  for (const { branch, used_bytes } of previews ?? [])
    print(`Preview of ${clean(branch)}: ${used_bytes == null ? 'not measured yet' : formatBytes(used_bytes)}`)
  if (disk.is_full) notice('It is full, and the app does not run. Make it larger: svc disk add --size <size>')
  if (disk.problem) notice(disk.problem)
}

interface Sizes {
  size_bytes?: number | null | undefined
  used_bytes?: number | null | undefined
}

const sizes = ({ size_bytes: size, used_bytes: used }: Sizes): string =>
  used == null
    ? `${formatBytes(size ?? 0)} ${dim('(not measured yet)')}`
    : `${formatBytes(used)} of ${formatBytes(size ?? 0)}`

export const addDisk: Run = async ({ options }) => {
  const name = requireProject(options)
  const size_bytes = sizeOf(options.size)
  const answer = await connect()('PUT /projects/:name/disk', {
    params: { name },
    body: { size_bytes, path: options.path, shared: sharedOf(options) },
  })
  if (options.json) return printJson(answer)
  const disk = required(answer, 'disk')
  print(`${bold(name)} has a disk of ${formatBytes(disk.size_bytes ?? 0)} at ${bold(disk.path ?? '')}.`)
  if (answer.was_kept) notice('It holds the files that were there when it was removed.')
  for (const warning of answer.warnings ?? []) notice(warning)
  tellRestart(answer.restarting, 'with the disk')
}

export const setPreviewDisks: Run = async ({ args: [asked = ''], options }) => {
  const name = requireProject(options)
  const choice = (['empty', 'copy'] as const).find(each => each === asked)
  if (!choice) throw new Failure(`'${asked}' is neither 'empty' nor 'copy'.`)
  await connect()('PATCH /projects/:name/disk', { params: { name }, body: { preview_data: choice } })
  print(
    choice === 'copy'
      ? "The disks of new previews begin with the newest snapshot of production's."
      : 'The disks of new previews begin empty.',
  )
}

export const removeDisk: Run = async ({ options }) => {
  const name = requireProject(options)
  if (!options.yes)
    await confirmByName(
      'disk',
      name,
      async () => `This takes the disk away from ${name}. Its files are kept for 7 days, and then deleted.`,
    )
  const answer = await connect()('DELETE /projects/:name/disk', {
    params: { name },
    query: { confirm: name },
  })
  print(
    `Removed the disk of ${bold(name)}. Until ${answer.removed_until ?? 'in 7 days'}, 'svc disk add' brings its files back.`,
  )
  tellRestart(answer.restarting, 'without it')
}

function tellRestart(restarting: boolean | undefined | null, how: string): void {
  if (restarting) notice(`The running app restarts ${how}.`)
}

function sharedOf({ shared, unshared }: OptionValues): boolean | undefined {
  if (shared && unshared) throw new Failure('--shared and --unshared exclude each other.')
  return shared ? true : unshared ? false : undefined
}

function sizeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const bytes = parseBytes(text)
  if (bytes === undefined) throw new Failure(`Unknown size '${text}'. Write it as in --size 10GB.`)
  return bytes
}
