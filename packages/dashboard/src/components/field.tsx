// A labelled input with its hint and its error, tied together for screen readers.
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import styles from './field.module.css'

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  optional?: boolean
  hint?: ReactNode
  error?: string | undefined
  /** Shown inside the input's frame, after it. */
  addon?: ReactNode
  /** For text that is read letter by letter: `mono` for ids, `code` for a code that fills the field. */
  look?: 'mono' | 'code'
}

/** Keeps browsers from changing what is typed. */
const literal = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false }

export function Field({ label, optional, hint, error, addon, look, ...input }: FieldProps) {
  return (
    <Labelled label={label} optional={optional} hint={hint} error={error}>
      {tied => (
        <div className={styles.frame} data-invalid={error ? '' : undefined}>
          <input
            {...(look && literal)}
            {...input}
            {...tied}
            className={look ? `${styles.input} ${styles[look]}` : styles.input}
          />
          {addon}
        </div>
      )}
    </Labelled>
  )
}

interface TextFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string
  hint?: ReactNode
  error?: string | undefined
}

/** For text of several lines that is read letter by letter: keys, certificates, files. */
export function TextField({ label, hint, error, ...area }: TextFieldProps) {
  return (
    <Labelled label={label} hint={hint} error={error}>
      {tied => <textarea {...literal} {...area} {...tied} className={styles.area} />}
    </Labelled>
  )
}

interface LabelledProps {
  label: string
  optional?: boolean | undefined
  hint?: ReactNode
  error?: string | undefined
  /** Renders the input with the attributes that connect it to its label, hint and error. */
  children: (tied: Tied) => ReactNode
}

interface Tied {
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

export function Labelled({ label, optional, hint, error, children }: LabelledProps) {
  const id = useId()
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {optional && <span className={styles.optional}>optional</span>}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': described || undefined })}
      <p id={`${id}-error`} className={styles.error} aria-live="polite">
        {error}
      </p>
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
    </div>
  )
}

interface PasswordFieldProps extends Omit<FieldProps, 'type' | 'addon'> {
  /** Fills in a password, which is then shown. */
  generate?: () => void
}

export function PasswordField({ generate, ...props }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      {...props}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      addon={
        <>
          <IconButton
            size="small"
            icon={shown ? 'eyeOff' : 'eye'}
            label={shown ? 'Hide password' : 'Show password'}
            onClick={() => setShown(!shown)}
          />
          {generate && (
            <Button
              size="small"
              look="quiet"
              onClick={() => {
                setShown(true)
                generate()
              }}
            >
              Generate
            </Button>
          )}
        </>
      }
    />
  )
}
