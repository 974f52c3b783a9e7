/** The docs that are guides of the portal: those for users of the API. */

export const GUIDES: Readonly<Record<string, { title: string; about: string }>> = {
  api: {
    title: "API reference",
    about: "Requests, filters, paging, resources, limits and caching.",
  },
  errors: { title: "Errors", about: "Every error code, its status, and what to do about it." },
  events: { title: "Change feed", about: "Matches as they are added, replaced and removed." },
  webhooks: { title: "Webhooks", about: "Changes sent to your server, signed." },
  insights: {
    title: "Insights",
    about: "Hero statistics, leaderboards and the company of a player.",
  },
  compatibility: {
    title: "Compatibility",
    about: "What differs for clients of the Gamelocker API.",
  },
};
