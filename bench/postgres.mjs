// Where the programs of PostgreSQL are that svcd takes for the databases of projects.
import { findPrograms } from '../packages/server/dist/ports/databases/own/programs.js'

export function programsOf() {
  const found = findPrograms('', undefined)
  if (!found) throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql)')
  return found.bin
}
