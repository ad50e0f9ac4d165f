// Shows the contract of this server. Nothing is fetched from anywhere else, and nothing is
// sent anywhere but to this server.
Scalar.createApiReference("#reference", {
  url: "openapi.yaml",
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  documentDownloadType: "both",
  metaData: { title: "Tollkeeper API" },
});
