export const languages = ['curl', 'javascript', 'python'] as const
export type Language = (typeof languages)[number]

export const languageName: Record<Language, string> = { curl: 'curl', javascript: 'JavaScript', python: 'Python' }

/** What the first call asks for: five daily bars of the S&P 500. */
export const firstCallPath = '/v1/bars/SPX?limit=5'

/** The same GET in each language, complete and runnable as it is: a shell, Node 20 or Python 3 without packages. */
export function snippet(language: Language, url: string, key: string): string {
  switch (language) {
    case 'curl':
      return `curl "${url}" \\\n  -H "Authorization: Bearer ${key}"`
    case 'javascript':
      return [
        `const response = await fetch("${url}", {`,
        `  headers: { Authorization: "Bearer ${key}" },`,
        '})',
        'console.log(await response.json())',
      ].join('\n')
    case 'python':
      return [
        'import json, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    "${url}",`,
        `    headers={"Authorization": "Bearer ${key}"},`,
        ')',
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n')
  }
}

/** What is copied: the command as one line, which every shell takes; programs as they are shown. */
export const copyable = (language: Language, text: string) =>
  language === 'curl' ? text.replace(' \\\n  ', ' ') : text
