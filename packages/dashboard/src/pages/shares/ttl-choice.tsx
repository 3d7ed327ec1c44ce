// How long the next share is to live.
import styles from './ttl-choice.module.css'

const choices = [
  { days: 1, words: '1 day' },
  { days: 3, words: '3 days' },
  { days: 7, words: '7 days' },
  { days: 14, words: '14 days' },
  { days: 30, words: '30 days' },
] as const

export function TtlChoice({ days, onChange }: { days: number; onChange: (days: number) => void }) {
  return (
    <fieldset className={styles.choice}>
      <legend>Expires after</legend>
      <div className={styles.options}>
        {choices.map(option => (
          <label key={option.days} className={styles.option}>
            <input
              type="radio"
              name="ttl"
              className="visually-hidden"
              checked={days === option.days}
              onChange={() => onChange(option.days)}
            />
            {option.words}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
