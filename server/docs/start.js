// Shows the contract of this server, with the scope that each operation needs. Nothing is fetched
// from anywhere else, and nothing is sent anywhere but to this server.
fetch("openapi.yaml")
  .then((answer) => answer.text())
  .then((contract) =>
    Scalar.createApiReference("#reference", {
      content: contract.replace(/^( +)x-scope: "(.+)"$/gm, '$&\n$1x-badges: [{name: "scope $2"}]'),
      agent: { disabled: true },
      mcp: { disabled: true },
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: "never",
      persistAuth: false,
      documentDownloadType: "none", // the bar has links to what is served
      metaData: { title: "Tollkeeper API" },
    }),
  );
