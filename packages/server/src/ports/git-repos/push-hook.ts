// The hook that git runs before a push changes any ref. It is a few lines of shell that ask svcd over two pipes.
import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { GitProgram } from '../../lib/git/programs.ts'
import type { RefUpdate } from './port.ts'

/** It writes the folder of the new objects, one line for each ref, and the last line. It reads one line: `ok`, or why not. */
const script = `#!/bin/sh
{ printf '%s\\n' "$GIT_QUARANTINE_PATH"; cat; printf '%s\\n' "$SVC_LAST_LINE"; } >&3
IFS= read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
printf '%s\\n' "$verdict" >&2
exit 1
`

/** Refs that svcd reads of one push. */
const questionBytes = 16 * 1024 * 1024

/** Git ignores a hook that cannot be executed, and then takes every push. So that is an error here. */
export async function writeHook(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, 'pre-receive')
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, script, { mode: 0o700 })
  await rename(unfinished, file)
  try {
    await access(file, constants.X_OK)
  } catch (cause) {
    throw new Error(`${file} cannot be executed. Mount its disk without noexec, or move SVCD_DATA_DIR.`, {
      cause,
    })
  }
}

export interface Question {
  /** The folder of the new objects. `undefined` if there are none. */
  objects: string | undefined
  updates: RefUpdate[]
}

/** For the hook. Git has not looked at the names of the refs yet, and they may hold any other line. */
export const lastLineIs = (lastLine: string): Record<string, string> => ({ SVC_LAST_LINE: lastLine })

/** Answers the hook's question. If that fails, the hook sees the end of its input and git refuses the push. */
export function answerHook(
  { fromHook, toHook }: Pick<GitProgram, 'fromHook' | 'toHook'>,
  lastLine: string,
  judge: (question: Question) => Promise<string | undefined>,
): void {
  const chunks: Buffer[] = []
  const end = `\n${lastLine}\n`
  let tail = ''
  let bytes = 0
  fromHook?.on('data', (chunk: Buffer) => {
    // The hook writes everything before it reads, so the rest is read, too, but not kept.
    if (bytes > questionBytes) return
    bytes += chunk.length
    if (bytes > questionBytes) {
      chunks.length = 0
      return void toHook?.end('The push has too many refs.\n')
    }
    chunks.push(chunk)
    tail = (tail + chunk.subarray(-end.length).toString('latin1')).slice(-end.length)
    if (tail !== end) return
    judge(readQuestion(Buffer.concat(chunks).toString('utf8'))).then(
      why => toHook?.end(`${why?.replace(/\s+/g, ' ') ?? 'ok'}\n`),
      () => toHook?.end('The server could not check this push. Try again in a minute.\n'),
    )
  })
}

function readQuestion(text: string): Question {
  const [objects = '', ...lines] = text.split('\n').slice(0, -2)
  const updates = lines.map(line => {
    const [from = '', to = '', ...ref] = line.split(' ')
    return { from: objectId(from), to: objectId(to), ref: ref.join(' ') }
  })
  return { objects: objects === '' ? undefined : objects, updates }
}

/** Git writes zeros for none. */
const objectId = (text: string): string | undefined => (/^0+$/.test(text) ? undefined : text)
