import { execFileSync } from 'node:child_process'

/** The core metadata of a Python package: header fields, repeated ones as several values, and the description below them. */
export type Metadata = Record<string, string[]>

const script = `import email, json, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
assert wheel.testzip() is None
text = wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")))
message = email.message_from_bytes(text)
fields = {name: message.get_all(name) for name in message.keys()}
fields["Description"] = [message.get_payload(decode=True).decode()]
print(json.dumps(fields))`

/** Reads the metadata of a wheel, as an index and pip would. That of the source package is made again when it is built. */
export const readMetadata = (path: string): Metadata =>
  JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }))

/** What an index would refuse, or show wrongly. */
export function metadataProblems(metadata: Metadata, version: string, readme: string): string[] {
  const wanted: Record<string, string> = {
    Name: 'finmeter',
    Version: version,
    License: 'Apache-2.0',
    'Requires-Python': '>=3.10',
    'Description-Content-Type': 'text/markdown',
  }
  const problems = Object.entries(wanted)
    .filter(([name, value]) => metadata[name]?.join() !== value)
    .map(([name, value]) => `${name} is ${metadata[name]?.join() ?? 'missing'}, not ${value}`)
  if (!/^2\.\d$/.test(metadata['Metadata-Version']?.join() ?? '')) problems.push('Metadata-Version is not 2')
  if (!metadata['Requires-Dist']?.some((one) => /^httpx\b/.test(one))) problems.push('Requires-Dist lacks httpx')
  if (!metadata['Provides-Extra']?.includes('pandas')) problems.push('Provides-Extra lacks pandas')
  // An index refuses a summary of several lines.
  if (!/^.{1,512}$/.test(metadata.Summary?.join('\n') ?? '')) problems.push('Summary is not one line')
  if (metadata.Description?.join('').trim() !== readme.trim()) problems.push('Description is not the README')
  return problems
}
