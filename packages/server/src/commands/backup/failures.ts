// Says in words what an operator can do when a backup or a restore fails.
import { Fault } from '../../lib/fault.ts'
import { StorageFailure } from '../../ports/packs/port.ts'
import { troubleOf } from '../../store/faults.ts'

/** Turns failures of the disk, the database and the storage into one sentence that begins with `outcome`. */
export async function explained<T>(outcome: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = reasonOf(causeOnDisk(error) ?? error)
    throw why === undefined ? error : new Fault('unavailable', `${outcome}: ${why}`, { cause: error })
  }
}

/** A storage on this disk speaks of deployments. Its cause names the file, also if that is a piece of a backup. */
function causeOnDisk(error: unknown): unknown {
  if (!(error instanceof StorageFailure) || error.name !== 'StorageFailure') return undefined
  return error.cause instanceof Error ? error.cause : undefined
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof StorageFailure) return error.message
  if (!(error instanceof Error) || error instanceof Fault) return undefined
  const { code, syscall, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  if (code === 'ENOSPC' || code === 'EDQUOT' || errcode === 13 || troubleOf(error) === 'full')
    return 'there is no space left on the disk. Make room and try again.'
  if (troubleOf(error) === 'away') return `the database does not answer (${code}). Try again when it does.`
  if (syscall !== undefined) return `${error.message}.`
  // A refusal of PostgreSQL, such as a wrong password.
  if (/^[0-9A-Z]{5}$/.test(String(code))) return `the database refused: ${error.message}.`
  return undefined
}
