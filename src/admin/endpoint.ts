/** What endpoints of the admin listener take and return. */

export interface AdminRequest {
  request: Request;
  requestId: string;
  query: AdminQuery;
  /** The id in the path, where it has one. */
  id: string;
}

/** The query parameters that were given. */
export type AdminQuery = Readonly<Record<string, string | undefined>>;

export function jsonResponse(status: number, body: object, headers = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
