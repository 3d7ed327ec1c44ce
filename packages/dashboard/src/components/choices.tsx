// Radio buttons, each with an explanation.
import styles from './choices.module.css'

export interface Choice<T extends string> {
  value: T
  title: string
  note: string
}

interface ChoicesProps<T extends string> {
  legend: string
  name: string
  choices: readonly Choice<T>[]
  value: T
  onChoose: (value: T) => void
  /** In two columns, where there is room. */
  inTwo?: boolean
}

export function Choices<T extends string>({
  legend,
  name,
  choices,
  value,
  onChoose,
  inTwo = false,
}: ChoicesProps<T>) {
  return (
    <fieldset className={inTwo ? `${styles.choices} ${styles.two}` : styles.choices}>
      <legend>{legend}</legend>
      {choices.map(choice => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            checked={value === choice.value}
            onChange={() => onChoose(choice.value)}
          />
          <span>
            <strong>{choice.title}</strong>
            {choice.note}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
