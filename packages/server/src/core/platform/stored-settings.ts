// The settings that operators changed in the dashboard, opened.
import { type Keyring, SealBroken } from '../../lib/seal.ts'
import type { OperatorSettingRow } from '../../store/tables.ts'

export const placeOfSetting = (name: string): string[] => ['operator_settings', name, 'sealed']

interface Opened {
  values: Record<string, string>
  /** Their key was lost. They have to be set again. */
  unreadable: string[]
}

export function openSettings(keyring: Keyring, rows: readonly OperatorSettingRow[]): Opened {
  const values: Record<string, string> = {}
  const unreadable: string[] = []
  for (const row of rows)
    try {
      values[row.name] = keyring.open(row, placeOfSetting(row.name))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      unreadable.push(row.name)
    }
  return { values, unreadable }
}
