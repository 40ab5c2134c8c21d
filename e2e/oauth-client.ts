/** Registers an OAuth client and returns the parameters of its authorization request. */
export async function registerClient(baseURL: string, name: string, challenge: string): Promise<URLSearchParams> {
  const redirect = `${baseURL}/healthz`
  const registered = await fetch(`${baseURL}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirect] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  return new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
}
