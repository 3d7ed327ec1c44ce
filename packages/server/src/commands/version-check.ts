// Which version runs, and which one the next start brings. They differ after an upgrade that was killed half way.
import { readSettings, type Settings } from '../config.ts'
import { CheckFailure } from '../core/platform/checks.ts'
import { runningVersion } from './running-process.ts'
import { versionToStart } from './upgrade/versions.ts'

/** For `svcd doctor`. Returns a line, or throws an error that says what to do. */
export async function checkVersion(settings: Settings): Promise<string> {
  const [running, installed] = [await runningVersion(settings), versionToStart()]
  if (running === undefined) return `${installed} is installed; no svcd that answers runs here`
  if (running !== installed) throw new CheckFailure(differenceIn({ running, installed }), remedy(installed))
  return `${running} runs, and is installed`
}

/** For `svcd --version`. `undefined` if the same version runs, or none. */
export async function otherVersionRuns(): Promise<string | undefined> {
  try {
    const [running, installed] = [await runningVersion(readSettings()), versionToStart()]
    if (running === undefined || running === installed) return undefined
    return `${differenceIn({ running, installed })}. ${remedy(installed)}.`
  } catch {
    return undefined // Not everyone may read the settings. The version is told all the same.
  }
}

const differenceIn = ({ running, installed }: { running: string; installed: string }): string =>
  `svcd ${running} runs, but ${installed} is installed: an upgrade was cut off, or svcd was not started again since`

const remedy = (installed: string): string =>
  `Run 'svcd upgrade' with the release of ${installed} again, which goes back if it fails. Another start of svcd brings ${installed} as well`
