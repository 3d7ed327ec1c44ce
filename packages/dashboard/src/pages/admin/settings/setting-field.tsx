// One setting of the platform: its value, where that comes from, and what it means.
import type { PlatformSetting } from '@svc/contract'
import { Button } from '../../../components/button.tsx'
import { Field, TextField } from '../../../components/field.tsx'
import { SelectField } from '../../../components/select.tsx'
import { Meaning } from './meaning.tsx'
import styles from './settings.module.css'
import { labelOf } from './settings.ts'
import { withoutLinks } from './without-links.ts'

interface SettingFieldProps {
  setting: PlatformSetting
  /** What was typed. `undefined` if nothing was; `null` takes the setting back. */
  typed: string | null | undefined
  onType: (value: string | null | undefined) => void
}

export function SettingField({ setting, typed, onType }: SettingFieldProps) {
  const { name, options, is_secret, is_long } = setting
  const isGiven = setting.source === 'environment' || setting.source === 'file'
  const stored = is_secret ? '' : setting.source === 'default' ? '' : (setting.value ?? '')
  const value = typed === undefined ? stored : (typed ?? '')
  const type = (text: string) => onType(text === stored ? undefined : text === '' ? null : text)
  const common = {
    label: labelOf(setting),
    name,
    disabled: isGiven,
    value,
    hint: <Hint setting={setting} isGiven={isGiven} typed={typed} onType={onType} />,
  }
  if (options)
    return (
      <SelectField
        {...common}
        options={[
          { value: '', title: `Default: ${plain(setting.default)}` },
          ...options.map(option => ({ value: option, title: titleOf(option) })),
        ]}
        onChoose={type}
      />
    )
  const placeholder = placeholderOf(setting, typed)
  if (is_long)
    return (
      <TextField
        {...common}
        rows={3}
        placeholder={placeholder}
        onChange={event => type(event.target.value)}
      />
    )
  return (
    <Field
      {...common}
      type={is_secret ? 'password' : 'text'}
      autoComplete={is_secret ? 'new-password' : 'off'}
      autoCapitalize="none"
      spellCheck={false}
      placeholder={placeholder}
      onChange={event => type(event.target.value)}
    />
  )
}

const titleOf = (option: string): string => ({ 0: 'Off', 1: 'On' })[option] ?? option

const plain = (markdown: string): string => withoutLinks(markdown).replaceAll('`', '')

function placeholderOf(
  { is_secret, is_set, default: byDefault }: PlatformSetting,
  typed: string | null | undefined,
) {
  if (is_secret && is_set && typed !== null) return 'Set. Type to replace it'
  return `Default: ${plain(byDefault)}`
}

function Hint({
  setting,
  isGiven,
  typed,
  onType,
}: Omit<SettingFieldProps, 'typed'> & { isGiven: boolean; typed: string | null | undefined }) {
  const { meaning, name, source, pending, takes_effect, is_secret } = setting
  return (
    <>
      <Meaning of={capitalized(meaning)} />.{' '}
      {isGiven && (
        <strong className={styles.given}>
          Set by the {source}: change <code>{name}</code> there.
        </strong>
      )}
      {!isGiven && pending && <strong className={styles.given}>Waits for a restart.</strong>}
      {!isGiven && !pending && takes_effect === 'restart' && 'Takes effect with a restart.'}
      {is_secret && source === 'dashboard' && typed === undefined && (
        <Button
          size="small"
          look="quiet"
          aria-label={`Remove ${labelOf(setting)}`}
          onClick={() => onType(null)}
        >
          Remove
        </Button>
      )}
    </>
  )
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
