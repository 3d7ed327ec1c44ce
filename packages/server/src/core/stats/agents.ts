// The browser, the device and the operating system of a visitor, from the User-Agent header. Each is one of a few families, so
// that a client that makes up names adds nothing to the lists, and nobody can be recognised by them.

export interface Agent {
  browser: string
  device: string
  system: string
}

/** A family, and the words of which one must be in the user agent. The first family that fits wins. */
type Families = readonly [family: string, ...words: string[]][]

const other = 'Other'

/** Most browsers also name Chrome or Safari, so these two come last. */
const browsers: Families = [
  ['Edge', 'Edg/', 'EdgA/', 'EdgiOS/', 'Edge/'],
  ['Opera', 'OPR/', 'OPT/', 'OPiOS/', 'Opera'],
  ['Samsung Internet', 'SamsungBrowser/'],
  ['Yandex', 'YaBrowser/'],
  ['UC Browser', 'UCBrowser/'],
  ['DuckDuckGo', 'DuckDuckGo/', 'Ddg/'],
  ['Instagram', 'Instagram '],
  ['Facebook', 'FBAN/', 'FBAV/'],
  ['Firefox', 'Firefox/', 'FxiOS/'],
  ['Internet Explorer', 'Trident/', 'MSIE '],
  ['Chrome', 'Chrome/', 'CriOS/', 'Chromium/'],
  ['Safari', 'Safari/', 'iPhone', 'iPad'],
]

/** Phones with Windows name Android and iPhone, iPhones name Mac OS X, and Android names Linux. */
const systems: Families = [
  ['Windows', 'Windows'],
  ['iOS', 'iPhone', 'iPad', 'iPod'],
  ['Android', 'Android'],
  ['ChromeOS', 'CrOS'],
  ['macOS', 'Macintosh', 'Mac OS X'],
  ['Linux', 'Linux', 'X11'],
]

/** Tablets with Android do not say that they are mobile. */
const devices: Families = [
  ['TV', 'SMART-TV', 'SmartTV', 'Web0S', 'AppleTV', 'GoogleTV', 'CrKey'],
  ['Tablet', 'iPad', 'Tablet', 'Silk/'],
  ['Mobile', 'Mobi', 'iPhone', 'iPod', 'Windows Phone'],
  ['Tablet', 'Android'],
  ['Desktop', 'Windows NT', 'Macintosh', 'X11', 'Linux', 'CrOS'],
]

export const agentOf = (userAgent: string): Agent => ({
  browser: familyOf(browsers, userAgent),
  device: familyOf(devices, userAgent),
  system: familyOf(systems, userAgent),
})

const familyOf = (families: Families, userAgent: string): string =>
  families.find(([, ...words]) => words.some(word => userAgent.includes(word)))?.[0] ?? other
