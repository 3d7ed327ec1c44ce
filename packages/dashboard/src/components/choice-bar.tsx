// A few short choices side by side. The meaning of the chosen one is written below.
import { useId } from 'react'
import styles from './choice-bar.module.css'

export interface BarChoice {
  word: string
  meaning: string
}

interface ChoiceBarProps<T extends string> {
  legend: string
  choices: Record<T, BarChoice>
  /** Those to offer, in this order. */
  options: readonly T[]
  value: T
  onChange: (value: T) => void
}

export function ChoiceBar<T extends string>({
  legend,
  choices,
  options,
  value,
  onChange,
}: ChoiceBarProps<T>) {
  const name = useId()
  return (
    <fieldset className={styles.field}>
      <legend>{legend}</legend>
      <div className={styles.options}>
        {options.map(option => (
          <label key={option} className={styles.option}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={value === option}
              onChange={() => onChange(option)}
            />
            {choices[option].word}
          </label>
        ))}
      </div>
      <p className={styles.meaning} aria-live="polite">
        {choices[value].meaning}
      </p>
    </fieldset>
  )
}
