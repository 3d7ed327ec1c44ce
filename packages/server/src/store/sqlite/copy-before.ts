// The copy of the database that svcd makes before a new version migrates it, and the way back to it.
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { backup } from '@photostructure/sqlite'
import { openReader } from './open.ts'
import { snapshotDatabase } from './snapshot.ts'

interface Place {
  databaseFile: string
  /** The folder of the copies. The copy that the last upgrade made stays there. */
  upgradeDir: string
}

const copyIn = (dir: string): string => path.join(dir, 'before.db')

/** Returns the file. */
export function copyBeforeMigration({ databaseFile, upgradeDir }: Place): string {
  mkdirSync(upgradeDir, { recursive: true })
  const copy = copyIn(upgradeDir)
  rmSync(copy, { force: true })
  snapshotDatabase(databaseFile, copy)
  return copy
}

/**
 * Gives the database the content of the copy. Returns the file that keeps what it had. This is one transaction on the same
 * file: another file in its place would meet the write-ahead log of this one, which stays while any process has it open.
 */
export async function restoreCopy({ databaseFile, upgradeDir }: Place): Promise<string> {
  const replaced = path.join(upgradeDir, 'failed.db')
  rmSync(replaced, { force: true })
  snapshotDatabase(databaseFile, replaced)
  const copy = openReader(copyIn(upgradeDir))
  try {
    await backup(copy, databaseFile)
  } finally {
    copy.close()
  }
  return replaced
}
