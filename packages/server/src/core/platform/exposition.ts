// Prometheus's text format, version 0.0.4.

export interface Sample {
  labels?: Record<string, string>
  value: number
  /** Of a histogram: `_bucket`, `_sum` or `_count`. */
  suffix?: string
}

export interface Metric {
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: Sample[]
}

export const one = (value: number): Sample[] => [{ value }]
export const gauge = (help: string, samples: Sample[]): Metric => ({ type: 'gauge', help, samples })
export const counter = (help: string, samples: Sample[]): Metric => ({ type: 'counter', help, samples })
export const histogram = (help: string, samples: Sample[]): Metric => ({ type: 'histogram', help, samples })

export function written(name: string, { type, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value, suffix = '' }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
