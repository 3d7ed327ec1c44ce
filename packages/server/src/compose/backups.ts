// Backups that run by themselves: when, and the process that makes them. It copies and compresses much, so it is not the one that
// serves.
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { backupPlace, environmentFor, SettingError, type Settings } from '../config.ts'
import type { BackupPlan } from '../core/base/platform.ts'
import { readSchedule } from '../core/crons/schedule.ts'
import type { MakeBackup } from '../core/platform/backups.ts'
import { startProgram } from '../lib/start-program.ts'
import { programFile } from '../program-files.ts'

const words: Record<string, string | undefined> = {
  off: undefined,
  hourly: '0 * * * *',
  daily: '0 3 * * *',
  weekly: '0 3 * * 0',
}

/** `undefined` if SVCD_BACKUP_URL is not set. Throws a SettingError if the schedule is none. */
export function backupPlan(settings: Settings): BackupPlan | undefined {
  const place = backupPlace(settings)
  const schedule = scheduleOf(settings.backupSchedule)
  if (!place) return undefined
  const { name, lock } = place
  return { place: name, schedule, recipients: lock.kind === 'recipients' ? lock.recipients : [] }
}

function scheduleOf(setting: string): string | undefined {
  if (Object.hasOwn(words, setting)) return words[setting]
  try {
    return readSchedule(setting, Date.now())
  } catch (error) {
    throw new SettingError(
      'SVCD_BACKUP_SCHEDULE',
      `must be hourly, daily, weekly, off or a schedule such as '30 2 * * *' (${(error as Error).message})`,
    )
  }
}

/** The exit code of a backup that did not begin, because another one is being made. */
const busyCode = 75

export const backupMaker =
  (settings: Settings): MakeBackup =>
  async signal => {
    const program = fileURLToPath(programFile('../bin/svcd.js'))
    const child = startProgram(process.execPath, [program, 'backup', 'run', '--scheduled'], {
      env: environmentFor(settings),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const end = () => void child.kill()
    signal.addEventListener('abort', end)
    const ended = new Promise<number | string>(resolve => {
      child.once('error', error => resolve(error.message))
      child.once('close', (code, killedBy) => resolve(code ?? killedBy ?? 'no exit code'))
    })
    const said = await text(child.stderr).catch(() => '')
    const code = await ended
    signal.removeEventListener('abort', end)
    if (code === 0) return 'made'
    if (code === busyCode) return 'busy'
    throw new Error(reasonOf(said) ?? `The process that makes the backup ended with ${code}.`)
  }

/** What the command said to its caller. Other lines are those of its log. */
function reasonOf(said: string): string | undefined {
  const prefix = 'svcd: '
  const lines = said.split('\n').filter(line => line.startsWith(prefix))
  return lines.at(-1)?.slice(prefix.length)
}
