// The settings of the platform that an operator changes in the dashboard.
import type { PlatformSettings } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import {
  deleteSetting,
  lockSettings,
  saveSetting,
  storedSettings,
} from '../../store/platform/operator-settings.ts'
import type { Db } from '../../store/store.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Rows, Vault } from '../base/platform.ts'
import { openSettings, placeOfSetting } from '../platform/stored-settings.ts'

export type SettingParts = Rows & Vault & Pick<Platform, 'settings'>

type Changes = Readonly<Record<string, string | null>>

export async function platformSettings({
  store,
  keyring,
  settings,
}: SettingParts): Promise<PlatformSettings> {
  const { values, unreadable } = openSettings(keyring, await storedSettings(store.db))
  const sections = settings.describe(values)
  const waits = sections.some(section => section.settings.some(({ pending }) => pending))
  return { sections, unreadable, restart: { needed: waits, possible: settings.canRestart } }
}

/** All changes, or none. `null` takes a setting back to what it is without the dashboard. */
export async function changeSettings(
  platform: SettingParts,
  caller: Caller,
  changes: Changes,
): Promise<PlatformSettings> {
  await saveSettings(platform, caller, changes)
  return await platformSettings(platform)
}

export async function saveSettings(
  { store, keyring, clock, settings }: SettingParts,
  caller: Caller | { ip: string },
  changes: Changes,
): Promise<void> {
  const names = Object.keys(changes)
  if (names.length === 0) throw new Fault('invalid_request', 'Nothing to change.')
  const values = await store.transact(async (tx, changed) => {
    await lockSettings(tx)
    const next = await withChanges({ keyring }, tx, changes)
    settings.check(next, names)
    for (const name of names) {
      const value = next[name]
      if (value === undefined) await deleteSetting(tx, name)
      else await saveSetting(tx, name, keyring.current.seal(value, placeOfSetting(name)), clock.now())
      const details = { removed: value === undefined }
      await audit({ clock }, tx, caller, { action: 'setting.change', target: name, details })
      await changed({ topic: 'setting', key: name })
    }
    return next
  })
  // Other processes do so when they hear of it. The answer is to say what holds here.
  await settings.apply(values)
}

/** What would be stored after the changes. */
async function withChanges({ keyring }: Pick<Vault, 'keyring'>, db: Db, changes: Changes) {
  const { values } = openSettings(keyring, await storedSettings(db))
  for (const [name, value] of Object.entries(changes)) {
    const text = value?.trim() ?? ''
    if (text === '') delete values[name]
    else values[name] = text
  }
  return values
}

/** Takes a setting back without a check, for settings with which svcd cannot start. Returns false if it was not stored. */
export async function takeBackSetting({ store, clock }: Rows, name: string): Promise<boolean> {
  return await store.transact(async (tx, changed) => {
    if (!(await deleteSetting(tx, name))) return false
    await audit(
      { clock },
      tx,
      { ip: '' },
      { action: 'setting.change', target: name, details: { removed: true } },
    )
    await changed({ topic: 'setting', key: name })
    return true
  })
}

/** Every node starts a successor with the stored settings, and ends when that one is healthy. */
export async function restartPlatform(
  { store, clock, settings }: SettingParts,
  caller: Caller,
): Promise<void> {
  if (!settings.canRestart)
    throw new Fault(
      'unavailable',
      'This svcd cannot restart by itself, because its container or terminal ends with it. Restart it where you started it.',
    )
  await store.transact(async (tx, changed) => {
    await audit({ clock }, tx, caller, { action: 'platform.restart' })
    await changed({ topic: 'setting', key: 'restart' })
  })
}

/** Sends an email to the operator, with these changes. Says what the mail server answered. */
export async function testMail(
  { store, keyring, settings }: SettingParts,
  caller: Caller,
  changes: Changes,
): Promise<{ to: string }> {
  const next = await withChanges({ keyring }, store.db, changes)
  settings.check(next, Object.keys(changes))
  const to = caller.me.email
  if (!to) throw new Fault('invalid_request', 'Your account has no email address. Add one in your account.')
  let problem: unknown
  const mailer = await settings.openMailer(next, error => (problem = error))
  try {
    if (!mailer.isConfigured) throw new Fault('invalid_request', 'SVCD_SMTP_URL: name a mail server first.')
    const sent = await mailer.send({
      to,
      subject: 'Test email of your svc platform',
      text: 'The mail server of your platform works: this is the test that you asked for in the operator area.',
    })
    if (!sent)
      throw new Fault(
        'invalid_request',
        `The mail server refused: ${problem instanceof Error ? problem.message : 'no reason given'}`,
      )
    return { to }
  } finally {
    mailer.close()
  }
}
