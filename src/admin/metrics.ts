/** In charge of the metrics as a monitoring system collects them. */

import { readQuery } from "./query.ts";
import type { AdminEndpoint } from "./service.ts";

export const showMetrics: AdminEndpoint = async ({ metrics }, { query }) => {
  readQuery(query, []);
  return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
};
