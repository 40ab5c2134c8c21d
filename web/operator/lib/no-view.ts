// First of all imports: back in the console, this tab is the operator's own again. A view that was left by the back button ends by time.
sessionStorage.removeItem('finmeter.view')

export {}
